import { sql } from '../../../db/drizzle.ts';
import { projectBranches } from '../../../db/schema/branches.ts';
import { allOf, pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { discardBranch } from '../forget-branches.ts';

const columns = allOf(projectBranches, ['dueAt', 'lease', 'attempts']);

/** A branch without what its own project says of it. */
export type BranchStanding = RowOf<typeof columns>;

/** How a branch stands that a rehearsal has; undefined where it was deleted. */
export async function branchStanding(rows: Rows, id: string): Promise<BranchStanding | undefined> {
  const [found] = await rows(findStatement.with({ id }));
  return found;
}

/** Deletes the branch of a rehearsal that is over. @returns false where it is not there any more */
export async function discardRehearsed(work: Work, id: string): Promise<boolean> {
  const found = await branchStanding(work.rows, id);
  if (found === undefined) return false;
  await discardBranch(work, found, 'rehearsed');
  return true;
}

const findStatement = statement(
  'branches.standing',
  { params: pick(projectBranches, 'id'), row: columns },
  ({ id }, row) => sql`select ${row} from ${projectBranches} where ${projectBranches.id} = ${id}`,
);
