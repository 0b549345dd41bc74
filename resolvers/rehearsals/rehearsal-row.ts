import { sql } from '../../db/drizzle.ts';
import { deployRehearsals } from '../../db/schema/rehearsals.ts';
import { allOf, insertInto, pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import { leasedStatements, putOffStatement } from '../../kernel/durability/leased-statements.ts';

/** How long a node has a rehearsal without a word of it, in seconds. */
const leaseSeconds = 30;

const leasedTable = {
  table: deployRehearsals,
  id: deployRehearsals.id,
  lane: deployRehearsals.projectId,
  dueAt: deployRehearsals.dueAt,
  lease: deployRehearsals.lease,
};

export const leasedRehearsals = leasedStatements(leasedTable, leaseSeconds);
export const putOffRehearsal = putOffStatement(leasedTable, deployRehearsals.attempts);

export const rehearsalColumns = allOf(deployRehearsals, ['dueAt', 'lease', 'report']);

/** A rehearsal that is under way. */
export type Rehearsal = RowOf<typeof rehearsalColumns>;

const held = { ...pick(deployRehearsals, 'id'), lease: typed<string>('text') };

export const insertStatement = statement(
  'rehearsals.insert',
  {
    params: pick(deployRehearsals, 'id', 'orgId', 'projectId', 'planId', 'branchId', 'teardown', 'migrations'),
  },
  (given) => insertInto(deployRehearsals, { ...given, dueAt: sql`now()` }),
);

/** The rehearsal of a plan that is under way. */
export const runningStatement = statement(
  'rehearsals.running',
  { params: pick(deployRehearsals, 'planId'), row: pick(deployRehearsals, 'id') },
  ({ planId }, row) => sql`select ${row} from ${deployRehearsals}
    where ${deployRehearsals.planId} = ${planId} and ${deployRehearsals.dueAt} is not null`,
);

export const beginStatement = statement(
  'rehearsals.begin',
  { params: held, row: rehearsalColumns },
  ({ id, lease }, row) => sql`update ${deployRehearsals}
    ${setOf(deployRehearsals, { attempts: sql`${deployRehearsals.attempts} + 1` })}
    where ${deployRehearsals.id} = ${id} and ${deployRehearsals.lease} = ${lease} returning ${row}`,
);

/** A rehearsal that a node has. */
export const heldStatement = statement(
  'rehearsals.held',
  { params: held, row: rehearsalColumns },
  ({ id, lease }, row) => sql`select ${row} from ${deployRehearsals}
    where ${deployRehearsals.id} = ${id} and ${deployRehearsals.lease} = ${lease} for update`,
);

/** Notes the deploy of the branch, once. */
export const deployedStatement = statement(
  'rehearsals.deployed',
  {
    params: { ...held, ...pick(deployRehearsals, 'branchPlanId', 'branchOperationId') },
    row: pick(deployRehearsals, 'id'),
  },
  ({ id, lease, ...set }, row) => sql`update ${deployRehearsals}
    ${setOf(deployRehearsals, { ...set, updatedAt: sql`now()` })}
    where ${deployRehearsals.id} = ${id} and ${deployRehearsals.lease} = ${lease}
      and ${deployRehearsals.branchOperationId} is null returning ${row}`,
);

export const endStatement = statement(
  'rehearsals.end',
  { params: { ...held, ...pick(deployRehearsals, 'report') } },
  ({ id, lease, report }) => sql`update ${deployRehearsals}
    ${setOf(deployRehearsals, { report, dueAt: sql`null`, lease: sql`null`, updatedAt: sql`now()` })}
    where ${deployRehearsals.id} = ${id} and ${deployRehearsals.lease} = ${lease}`,
);

export const forgetStatement = statement(
  'rehearsals.forget-project',
  { params: pick(deployRehearsals, 'projectId'), row: pick(deployRehearsals, 'id') },
  ({ projectId }, row) => sql`delete from ${deployRehearsals}
    where ${deployRehearsals.projectId} = ${projectId} returning ${row}`,
);
