import type { Statement } from '../../../db/pool.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import { lockOrg } from '../../orgs/shared/lock-org.ts';
import { vaultStands } from '../../vaults/shared/writers.ts';
import { memberEvents } from '../event-types.ts';

/** Whether an organization could still be acted for if one of its owners lost what it signs in with. */
interface Posture {
  /** An owner with a passkey has a second way in, or there are two owners with a passkey each. */
  readonly control_plane_configured: boolean;
  /** A vault keeps the sources. */
  readonly source_backup_configured: boolean;
  /** An owner acts by the key of a wallet alone, which nobody can replace. */
  readonly custody_legacy_present: boolean;
}

/**
 * Looks at an organization's recovery anew, under its lock and in the transaction of what may have changed it, and tells
 * of it when it did. An organization that nobody ever made recoverable is told of once somebody does. Contract 02, 1.5.
 */
export async function tellPosture(work: Work, orgId: string): Promise<void> {
  const [found] = await work.rows<Posture & { readonly before: boolean | null }>(postureStatement, [orgId]);
  if (found === undefined) return;
  const { before, ...posture } = found;
  const now = posture.control_plane_configured;
  if (before === null && !now) return;
  await work.rows(keepStatement, [orgId, now, posture.source_backup_configured, posture.custody_legacy_present]);
  if ((before ?? false) === now) return;
  const type = now ? memberEvents.org_recovery_posture_recovered : memberEvents.org_recovery_posture_degraded;
  work.append(appendEvent({ orgId, projectId: null, type, payload: posture }));
}

/** As {@link tellPosture}, for every organization that a person owns. */
export async function tellPosturesOf(work: Work, principalId: string): Promise<void> {
  const owned = await work.rows<{ orgId: string }>(ownedStatement, [principalId]);
  for (const { orgId } of owned) {
    await lockOrg(work, orgId);
    await tellPosture(work, orgId);
  }
}

const passkeysOf = (principal: string) => `(select count(*) from authenticators k
        where k.principal_id = ${principal} and k.kind = 'passkey' and k.revoked_at is null)`;

const postureStatement: Statement = {
  name: 'posture.look',
  text: `with owners as (
      select m.principal_id as id, ${passkeysOf('m.principal_id')} as passkeys,
        exists (select from recovery_codes c where c.principal_id = m.principal_id and c.used_at is null) as codes,
        exists (select from authenticators w where w.principal_id = m.principal_id and w.kind = 'wallet'
          and w.verified_at is not null and w.revoked_at is null) as wallet
      from memberships m join principals p on p.id = m.principal_id and p.disabled_at is null
      where m.org_id = $1 and m.role = 'owner' and m.status = 'active'
    )
    select
      exists (select from owners where passkeys > 1 or (passkeys > 0 and codes))
        or (select count(*) from owners where passkeys > 0) > 1 as control_plane_configured,
      exists (select from vaults v where v.org_id = $1 and ${vaultStands('v')}) as source_backup_configured,
      exists (select from owners where wallet and passkeys = 0) as custody_legacy_present,
      (select r.control_plane_configured from org_recovery_postures r where r.org_id = $1) as before
    from orgs o where o.id = $1 and o.lifecycle_state <> 'purged'`,
};

const keepStatement: Statement = {
  name: 'posture.keep',
  text: `insert into org_recovery_postures as r
      (org_id, control_plane_configured, source_backup_configured, custody_legacy_present, changed_at)
    values ($1, $2, $3, $4, clock_timestamp())
    on conflict (org_id) do update set control_plane_configured = excluded.control_plane_configured,
      source_backup_configured = excluded.source_backup_configured,
      custody_legacy_present = excluded.custody_legacy_present, changed_at = excluded.changed_at
    where (r.control_plane_configured, r.source_backup_configured, r.custody_legacy_present)
      is distinct from (excluded.control_plane_configured, excluded.source_backup_configured, excluded.custody_legacy_present)`,
};

const ownedStatement: Statement = {
  name: 'posture.owned',
  text: `select org_id as "orgId" from memberships
    where principal_id = $1 and role = 'owner' and status = 'active' order by org_id`,
};
