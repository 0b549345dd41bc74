import { sql } from '../../../db/drizzle.ts';
import { projectSnapshots } from '../../../db/schema/snapshots.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { goneOfSnapshots } from './gone-of-copies.ts';

/** Deletes a snapshot with what it holds. Whoever takes it finds out. */
export async function forgetSnapshot(work: Work, id: string): Promise<void> {
  await work.rows(forgetStatement.with({ id }));
  await work.rows(deleteStatement.with({ id }));
  work.afterCommit(() => work.services.copies.abort(id));
}

const forgetStatement = statement(
  'snapshots.forget-objects',
  { params: pick(projectSnapshots, 'id') },
  ({ id }) => sql`with ${goneOfSnapshots(sql`${projectSnapshots.id} = ${id}`)} select`,
);

const deleteStatement = statement(
  'snapshots.delete',
  { params: pick(projectSnapshots, 'id') },
  ({ id }) => sql`delete from ${projectSnapshots} where ${projectSnapshots.id} = ${id}`,
);
