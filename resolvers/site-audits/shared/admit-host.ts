import type { Statement } from '../../../db/pool.ts';
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
    const [granted] = await db.rows<{ wait: number }>(admitStatement, [host]);
    assertWithinRate(granted!.wait);
  };

const each = seconds / most;

/** A full allowance is spent at once and comes back evenly: one row, one statement, and no two nodes grant the same share. */
const admitStatement: Statement = {
  name: 'audits.admit-host',
  text: `with granted as (
      insert into audit_hosts as h (host, full_at) values ($1, statement_timestamp() + interval '${each} seconds')
      on conflict (host) do update set full_at = greatest(h.full_at, statement_timestamp()) + interval '${each} seconds'
        where h.full_at <= statement_timestamp() + interval '${seconds - each} seconds'
      returning host)
    select case when exists (select from granted) then 0 else coalesce((
      select greatest(1, ceil(extract(epoch from h.full_at - statement_timestamp()) - ${seconds - each}))
      from audit_hosts h where h.host = $1), ${each})::int end as wait`,
};
