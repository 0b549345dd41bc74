import { sql } from '../../../db/drizzle.ts';
import { interval } from '../../../db/intervals.ts';
import { hostCertificates, projectDomains } from '../../../db/schema/hosts.ts';
import { computed, pick, setOf, statement } from '../../../db/sql.ts';
import type { IssuedCertificate } from '../../../engines/acme/order.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** A certificate as connections use it. */
export interface HeldCertificate {
  readonly chain: string;
  readonly privateKey: string;
}

/** Takes the host whose certificate is due the longest, for the ten minutes that an order may take; undefined: there is none. */
export async function dueHost({ db }: Pick<Services, 'db'>): Promise<string | undefined> {
  const [taken] = await db.rows(takeStatement.with({}));
  return taken?.host;
}

/** How many orders were begun within the last hour, by all nodes together. */
export async function orderedLately({ db }: Pick<Services, 'db'>): Promise<number> {
  const [counted] = await db.rows(latelyStatement.with({}));
  return counted!.orders;
}

/** Keeps a certificate with its key, and has the domain looked at again that waits for it. */
export async function keepCertificate(
  { db, keys }: Pick<Services, 'db' | 'keys'>,
  host: string,
  { chain, privateKey, notAfter }: IssuedCertificate,
  nextOrderAt: Date,
): Promise<void> {
  const sealedKey = keys.seal('host-certificates', Buffer.from(privateKey), host);
  await db.rows(keepStatement.with({ host, chain, sealedKey, notAfter, nextOrderAt }));
  await db.rows(lookAgainStatement.with({ name: host }));
}

/** Notes that an order failed. @param when it is tried again, by how many have failed one after the other */
export async function noteFailure(
  { db }: Pick<Services, 'db'>,
  host: string,
  problem: string,
  when: (failures: number) => Date,
): Promise<void> {
  const [row] = await db.rows(failuresStatement.with({ host }));
  if (row === undefined) return;
  const failures = row.failures + 1;
  await db.rows(failStatement.with({ host, problem, failures, nextOrderAt: when(failures) }));
}

/** The certificate of a host that is somebody's; undefined: there is none that holds. */
export async function findCertificate(
  { db, keys }: Pick<Services, 'db' | 'keys'>,
  host: string,
): Promise<HeldCertificate | undefined> {
  const [row] = await db.rows(findStatement.with({ host }));
  if (row === undefined || row.chain === null || row.sealedKey === null) return undefined;
  try {
    return { chain: row.chain, privateKey: keys.open('host-certificates', row.sealedKey, host).toString() };
  } catch {
    // Sealed under a root that is gone: as good as none, and ordered anew.
    await db.rows(spoiltStatement.with({ host }));
    return undefined;
  }
}

const byHost = pick(hostCertificates, 'host');

const takeStatement = statement(
  'certificates.take-due',
  { row: byHost },
  (_none, row) => sql`update ${hostCertificates} ${setOf(hostCertificates, {
    leaseUntil: sql`now() + ${interval('10 minutes')}`,
    orderedAt: sql`now()`,
  })} where ${hostCertificates.host} = (select due.host from ${hostCertificates} due
    where due.next_order_at <= now() and (due.lease_until is null or due.lease_until < now())
      and not exists (select from ${projectDomains} astray
        where astray.name = due.host and astray.bound_at is not null and not astray.leads_here)
    order by due.next_order_at limit 1 for update skip locked) returning ${row}`,
);

const latelyStatement = statement(
  'certificates.ordered-lately',
  { row: { orders: computed<number>('integer', sql`count(*)::int`) } },
  (_none, row) => sql`select ${row} from ${hostCertificates}
    where ${hostCertificates.orderedAt} > now() - ${interval('1 hour')}`,
);

const keepStatement = statement(
  'certificates.keep',
  { params: pick(hostCertificates, 'host', 'chain', 'sealedKey', 'notAfter', 'nextOrderAt') },
  ({ host, ...values }) =>
    sql`update ${hostCertificates} ${setOf(hostCertificates, {
      ...values,
      failures: sql`0`,
      problem: sql`null`,
      leaseUntil: sql`null`,
    })} where ${hostCertificates.host} = ${host}`,
);

const lookAgainStatement = statement(
  'certificates.look-again',
  { params: pick(projectDomains, 'name') },
  ({ name }) => sql`update ${projectDomains} ${setOf(projectDomains, { nextCheckAt: sql`now()` })}
    where ${projectDomains.name} = ${name} and ${projectDomains.boundAt} is not null`,
);

const failuresStatement = statement(
  'certificates.failures',
  { params: byHost, row: pick(hostCertificates, 'failures') },
  ({ host }, row) => sql`select ${row} from ${hostCertificates} where ${hostCertificates.host} = ${host}`,
);

const failStatement = statement(
  'certificates.fail',
  { params: pick(hostCertificates, 'host', 'problem', 'failures', 'nextOrderAt') },
  ({
    host,
    ...values
  }) => sql`update ${hostCertificates} ${setOf(hostCertificates, { ...values, leaseUntil: sql`null` })}
    where ${hostCertificates.host} = ${host}`,
);

const findStatement = statement(
  'certificates.find',
  { params: byHost, row: pick(hostCertificates, 'chain', 'sealedKey'), pipelined: true },
  ({ host }, row) => sql`select ${row} from ${hostCertificates}
    where ${hostCertificates.host} = ${host} and ${hostCertificates.notAfter} > now()`,
);

const spoiltStatement = statement(
  'certificates.spoilt',
  { params: byHost },
  ({ host }) =>
    sql`update ${hostCertificates} ${setOf(hostCertificates, {
      chain: sql`null`,
      sealedKey: sql`null`,
      notAfter: sql`null`,
      nextOrderAt: sql`now()`,
    })} where ${hostCertificates.host} = ${host}`,
);
