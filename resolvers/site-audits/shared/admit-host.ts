import { type SQL, sql } from '../../../db/drizzle.ts';
import { auditHosts } from '../../../db/schema/audits.ts';
import { computed, insertInto, nameOf, pick, setOf, statement } from '../../../db/sql.ts';
import { assertWithinRate } from '../../../kernel/limits/rate-limit.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** So many audits may fetch from a host in so many seconds, over all clients and nodes. Contract 00, section 6.3. */
const most = 6;
const seconds = 60;

/**
 * Grants audits what they may fetch from hosts: those of others are not to be attacked by way of the gateway, however
 * many ask, and also by the way of redirects.
 *
 * @returns what takes one audit's share of a host. @throws RATE_LIMITED when it is used up
 */
export const hostAdmission =
  ({ db }: Pick<Services, 'db'>) =>
  async (host: string): Promise<void> => {
    const [granted] = await db.rows(admitStatement.with({ host }));
    assertWithinRate(granted!.wait);
  };

const each = seconds / most;
const spanOf = (count: number): SQL => sql.raw(`interval '${count} seconds'`);

/** A full allowance is spent at once and comes back evenly: one row, one statement, and no two nodes grant the same share. */
const admitStatement = statement(
  'audits.admit-host',
  { params: pick(auditHosts, 'host'), row: { wait: computed<number>('integer', sql`answer.wait`) } },
  ({ host }, row) => sql`with granted as (
      ${insertInto(auditHosts, { host, fullAt: sql`statement_timestamp() + ${spanOf(each)}` })}
      on conflict (${nameOf(auditHosts.host)}) do update
        ${setOf(auditHosts, { fullAt: sql`greatest(${auditHosts.fullAt}, statement_timestamp()) + ${spanOf(each)}` })}
        where ${auditHosts.fullAt} <= statement_timestamp() + ${spanOf(seconds - each)}
      returning ${auditHosts.host}
    ), answer as (
      select case when exists (select from granted) then 0 else coalesce((
        select greatest(1, ceil(extract(epoch from ${auditHosts.fullAt} - statement_timestamp()) - ${sql.raw(
          String(seconds - each),
        )})) from ${auditHosts} where ${auditHosts.host} = ${host}), ${sql.raw(String(each))})::int end as wait
    )
    select ${row} from answer`,
);
