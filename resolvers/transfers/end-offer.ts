import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { projectTransfers } from '../../db/schema/transfers.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { type Transfer, transferColumns } from '../projects/shared/transfer-summary.ts';

export interface EndOfOffer {
  readonly state: 'cancelled' | 'expired';
  readonly by: 'sender' | 'recipient' | 'system';
  readonly reason: string | null;
}

/**
 * Ends a pending offer, whose project's row is locked: the project may be changed again.
 *
 * @returns the transfer; undefined where it was over
 */
export async function endOffer(
  work: Work,
  id: string,
  { state, by, reason }: EndOfOffer,
): Promise<Transfer | undefined> {
  const [ended] = await work.rows(
    endStatement.with({ id, state, cancelledBy: state === 'cancelled' ? by : null, cancellationReason: reason }),
  );
  if (ended === undefined) return undefined;
  await work.rows(freeStatement.with({ id: ended.projectId, transferId: id }));
  work.afterCommit(() => forgetProjectTargets(work.services));
  return ended;
}

const endStatement = statement(
  'transfers.end',
  {
    params: {
      ...pick(projectTransfers, 'id', 'cancelledBy', 'cancellationReason'),
      state: typed<string>('text'),
    },
    row: transferColumns,
  },
  ({ id, ...end }, row) => sql`update ${projectTransfers} ${setOf(projectTransfers, { ...end, endedAt: sql`now()` })}
    where ${projectTransfers.id} = ${id} and ${projectTransfers.state} = 'pending' returning ${row}`,
);

const freeStatement = statement(
  'transfers.free-project',
  { params: { id: projects.id, transferId: typed<string>('uuid') } },
  ({ id, transferId }) => sql`update ${projects} ${setOf(projects, { transferId: sql`null` })}
    where ${projects.id} = ${id} and ${projects.transferId} = ${transferId}`,
);
