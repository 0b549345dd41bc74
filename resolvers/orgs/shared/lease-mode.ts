import type { Statement } from '../../../db/pool.ts';
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
    await db.rows(leasesOnStatement, [factKey]);
    return 0;
  }
  // From here on new organizations are perpetual on every node, so the look below misses none.
  await db.rows(leasesOffStatement, [factKey]);
  const [mode] = await db.rows<{ value: string }>(modeStatement, [factKey]);
  if (mode?.value !== 'pinning') return 0;
  let pinned = 0;
  for (let batch = batchRows; batch === batchRows; pinned += batch) {
    ctx.signal.throwIfAborted();
    batch = await pinBatch(ctx);
  }
  await db.rows(pinnedStatement, [factKey]);
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
    const orgs = await work.rows<{ id: string }>(pinStatement, [batchRows]);
    const entries = orgs.map(({ id }) => leaseSet(id, true));
    if (entries.length > 0) await writeSystemAudit(work.client, work, 'leases_off', entries);
    return orgs.length;
  });
}

/**
 * Whether a new organization's lease is perpetual, as a subquery. It waits for a node that turns leases off, and that
 * node waits for it: an organization is either made perpetual or seen and pinned.
 */
export const newLeaseIsPerpetual = `select coalesce(
    (select value <> '"on"' from platform_facts where key = '${factKey}' for share), true)`;

const leasesOnStatement: Statement = {
  name: 'leases.on',
  text: `insert into platform_facts (key, value) values ($1, '"on"')
    on conflict (key) do update set value = excluded.value where platform_facts.value <> excluded.value`,
};

const leasesOffStatement: Statement = {
  name: 'leases.off',
  text: `insert into platform_facts (key, value) values ($1, '"pinning"')
    on conflict (key) do update set value = excluded.value where platform_facts.value = '"on"'`,
};

const modeStatement: Statement = {
  name: 'leases.mode',
  text: `select value #>> '{}' as value from platform_facts where key = $1`,
};

const pinStatement: Statement = {
  name: 'leases.pin',
  text: `update orgs o set lease_perpetual = true, lifecycle_state = 'active',
      lifecycle_entered_at = case when o.lifecycle_state <> 'active' then now() else o.lifecycle_entered_at end
    where o.id in (
      select id from orgs where not lease_perpetual and lifecycle_state <> 'purged'
      order by id limit $1 for no key update
    ) returning o.id`,
};

// Leases may have been turned on again meanwhile.
const pinnedStatement: Statement = {
  name: 'leases.pinned',
  text: `update platform_facts set value = '"off"' where key = $1 and value = '"pinning"'`,
};
