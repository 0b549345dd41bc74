import { sql } from '../../db/drizzle.ts';
import { autoRecharges } from '../../db/schema/checkouts.ts';
import { allOf, pick, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';

/** How an organization recharges its mail credits, and with which card; undefined where nobody ever said. */
export async function findRecharge(rows: Rows, orgId: string) {
  const [row] = await rows(findStatement.with({ orgId }));
  return row;
}

const findStatement = statement(
  'checkouts.find-recharge',
  { params: pick(autoRecharges, 'orgId'), row: allOf(autoRecharges) },
  ({ orgId }, row) => sql`select ${row} from ${autoRecharges} where ${autoRecharges.orgId} = ${orgId}`,
);
