import { alias, sql } from '../../../db/drizzle.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { platformFacts } from '../../../db/schema/platform.ts';
import { computed, excluded, from, insertInto, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { writeSystemAudit } from '../../../kernel/durability/audit-log.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { AuditEntry } from '../../../kernel/run/operation.ts';

/** Organizations pinned by one transaction. */
const batchRows = 500;

/** The key of the installation's mode in `platform_facts`; its value is `on`, `pinning` or `off`. */
const factKey = 'leases';

/**
 * Notes whether leases are on, which decides what lease a new organization gets on every node. When they are off for the
 * first time, or again after they were on, every organization's lease becomes perpetual, once: an organization that the
 * platform admin releases later stays released. Nodes may start at once, and a start that is killed is finished by the
 * next one.
 *
 * @returns how many organizations this call pinned
 */
export async function keepLeaseMode(ctx: Context): Promise<number> {
  const { db, settings } = ctx.services;
  if (settings.leases) {
    await db.rows(leasesOnStatement.with({ key: factKey }));
    return 0;
  }
  // From here on new organizations are perpetual on every node, so the look below misses none.
  await db.rows(leasesOffStatement.with({ key: factKey }));
  const [mode] = await db.rows(modeStatement.with({ key: factKey }));
  if (mode?.mode !== 'pinning') return 0;
  let pinned = 0;
  for (let batch = batchRows; batch === batchRows; pinned += batch) {
    ctx.signal.throwIfAborted();
    batch = await pinBatch(ctx);
  }
  await db.rows(pinnedStatement.with({ key: factKey }));
  return pinned;
}

/** What the trail says of a lease that becomes perpetual, or counts again. */
export const leaseSet = (orgId: string, perpetual: boolean): AuditEntry & { readonly orgId: string } => ({
  action: 'org.lease_perpetual_set',
  object: { kind: 'organization', id: orgId },
  orgId,
  details: { lease_perpetual: perpetual },
});

function pinBatch(ctx: Context): Promise<number> {
  return unitOfWork(ctx, async (work) => {
    const pinned = await work.rows(pinStatement.with({ limit: batchRows }));
    const entries = pinned.map(({ id }) => leaseSet(id, true));
    if (entries.length > 0) await writeSystemAudit(work.client, work, 'leases_off', entries);
    return pinned.length;
  });
}

/**
 * Whether a new organization's lease is perpetual, as a subquery. It waits for a node that turns leases off, and that
 * node waits for it: an organization is either made perpetual or seen and pinned.
 */
export const newLeaseIsPerpetual = sql`select coalesce(
    (select ${platformFacts.value} <> '"on"' from ${platformFacts}
      where ${platformFacts.key} = ${sql.raw(`'${factKey}'`)} for share), true)`;

const { key, value } = platformFacts;

const leasesOnStatement = statement(
  'leases.on',
  { params: { key } },
  (given) => sql`${insertInto(platformFacts, { key: given.key, value: sql`'"on"'` })}
    on conflict (${nameOf(key)}) do update ${setOf(platformFacts, { value: excluded(value) })}
    where ${value} <> ${excluded(value)}`,
);

const leasesOffStatement = statement(
  'leases.off',
  { params: { key } },
  (given) => sql`${insertInto(platformFacts, { key: given.key, value: sql`'"pinning"'` })}
    on conflict (${nameOf(key)}) do update ${setOf(platformFacts, { value: excluded(value) })}
    where ${value} = '"on"'`,
);

const modeStatement = statement(
  'leases.mode',
  { params: { key }, row: { mode: computed<string>('text', sql`${value} #>> '{}'`) } },
  (given, row) => sql`select ${row} from ${platformFacts} where ${key} = ${given.key}`,
);

const pinStatement = statement(
  'leases.pin',
  { params: { limit: typed<number>('bigint') }, row: pick(orgs, 'id') },
  ({ limit }, row) => {
    const leased = alias(orgs, 'leased');
    return sql`update ${orgs} ${setOf(orgs, {
      leasePerpetual: sql`true`,
      lifecycleState: sql`'active'`,
      lifecycleEnteredAt: sql`case when ${orgs.lifecycleState} <> 'active' then now() else ${orgs.lifecycleEnteredAt} end`,
    })} where ${orgs.id} in (
        select ${leased.id} from ${from(leased)} where not ${leased.leasePerpetual} and ${leased.lifecycleState} <> 'purged'
        order by ${leased.id} limit ${limit} for no key update
      ) returning ${row}`;
  },
);

// Leases may have been turned on again meanwhile.
const pinnedStatement = statement(
  'leases.pinned',
  { params: { key } },
  (given) => sql`update ${platformFacts} ${setOf(platformFacts, { value: sql`'"off"'` })}
    where ${key} = ${given.key} and ${value} = '"pinning"'`,
);
