import { alias, sql } from '../../../db/drizzle.ts';
import { authenticators, principals } from '../../../db/schema/identity.ts';
import { memberships, orgs } from '../../../db/schema/orgs.ts';
import { orgRecoveryPostures, recoveryCodes } from '../../../db/schema/sign-in-flows.ts';
import { vaults } from '../../../db/schema/vaults.ts';
import { computed, excluded, from, insertInto, nameOf, pick, setOf, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import { lockOrg } from '../../orgs/shared/lock-org.ts';
import { vaultStands } from '../../vaults/shared/writers.ts';
import { memberEvents } from '../event-types.ts';

/**
 * Looks at an organization's recovery anew, under its lock and in the transaction of what may have changed it, and tells
 * of it when it did. An organization that nobody ever made recoverable is told of once somebody does. Contract 02, 1.5.
 */
export async function notifyPosture(work: Work, orgId: string): Promise<void> {
  const [found] = await work.rows(postureStatement.with({ id: orgId }));
  if (found === undefined) return;
  const { before, ...payload } = found;
  const now = payload.control_plane_configured;
  if (before === null && !now) return;
  const kept = keepStatement.with({
    orgId,
    controlPlaneConfigured: now,
    sourceBackupConfigured: payload.source_backup_configured,
    custodyLegacyPresent: payload.custody_legacy_present,
  });
  await work.rows(kept);
  if ((before ?? false) === now) return;
  const type = now ? memberEvents.org_recovery_posture_recovered : memberEvents.org_recovery_posture_degraded;
  work.append(appendEvent({ orgId, projectId: null, type, payload }));
}

/** As {@link notifyPosture}, for every organization that a person owns. */
export async function notifyPosturesOf(work: Work, principalId: string): Promise<void> {
  const owned = await work.rows(ownedStatement.with({ principalId }));
  for (const { orgId } of owned) {
    await lockOrg(work, orgId);
    await notifyPosture(work, orgId);
  }
}

const passkey = alias(authenticators, 'passkey');
const wallet = alias(authenticators, 'wallet');
const { principalId: owner } = memberships;

/** Whether an organization could still be acted for if one of its owners lost what it signs in with. */
const posture = {
  /** An owner with a passkey has a second way in, or there are two owners with a passkey each. */
  control_plane_configured: computed<boolean>(
    'boolean',
    sql`exists (select from owners where passkeys > 1 or (passkeys > 0 and codes))
      or (select count(*) from owners where passkeys > 0) > 1`,
  ),
  /** A vault keeps the sources. */
  source_backup_configured: computed<boolean>(
    'boolean',
    sql`exists (select from ${vaults} where ${vaults.orgId} = ${orgs.id} and ${vaultStands})`,
  ),
  /** An owner acts by the key of a wallet alone, which cannot be replaced. */
  custody_legacy_present: computed<boolean>('boolean', sql`exists (select from owners where wallet and passkeys = 0)`),
  before: computed<boolean | null>(
    'boolean',
    sql`(select ${orgRecoveryPostures.controlPlaneConfigured} from ${orgRecoveryPostures}
      where ${orgRecoveryPostures.orgId} = ${orgs.id})`,
  ),
};

const postureStatement = statement(
  'posture.look',
  { params: pick(orgs, 'id'), row: posture },
  ({ id }, row) => sql`with owners as (
      select ${owner} as id,
        (select count(*) from ${from(passkey)} where ${passkey.principalId} = ${owner} and ${passkey.kind} = 'passkey'
          and ${passkey.revokedAt} is null) as passkeys,
        exists (select from ${recoveryCodes} where ${recoveryCodes.principalId} = ${owner}
          and ${recoveryCodes.usedAt} is null) as codes,
        exists (select from ${from(wallet)} where ${wallet.principalId} = ${owner} and ${wallet.kind} = 'wallet'
          and ${wallet.verifiedAt} is not null and ${wallet.revokedAt} is null) as wallet
      from ${memberships} join ${principals} on ${principals.id} = ${owner} and ${principals.disabledAt} is null
      where ${memberships.orgId} = ${id} and ${memberships.role} = 'owner' and ${memberships.status} = 'active'
    )
    select ${row} from ${orgs} where ${orgs.id} = ${id} and ${orgs.lifecycleState} <> 'purged'`,
);

const { controlPlaneConfigured, sourceBackupConfigured, custodyLegacyPresent, changedAt } = orgRecoveryPostures;
const facts = [controlPlaneConfigured, sourceBackupConfigured, custodyLegacyPresent];
const keepStatement = statement(
  'posture.keep',
  {
    params: pick(
      orgRecoveryPostures,
      'orgId',
      'controlPlaneConfigured',
      'sourceBackupConfigured',
      'custodyLegacyPresent',
    ),
  },
  (given) => sql`${insertInto(orgRecoveryPostures, { ...given, changedAt: sql`clock_timestamp()` })}
    on conflict (${nameOf(orgRecoveryPostures.orgId)}) do update ${setOf(orgRecoveryPostures, {
      controlPlaneConfigured: excluded(controlPlaneConfigured),
      sourceBackupConfigured: excluded(sourceBackupConfigured),
      custodyLegacyPresent: excluded(custodyLegacyPresent),
      changedAt: excluded(changedAt),
    })} where (${sql.join(facts, sql`, `)}) is distinct from (${sql.join(facts.map(excluded), sql`, `)})`,
);

const ownedStatement = statement(
  'posture.owned',
  { params: pick(memberships, 'principalId'), row: pick(memberships, 'orgId') },
  ({ principalId }, row) => sql`select ${row} from ${memberships} where ${owner} = ${principalId}
    and ${memberships.role} = 'owner' and ${memberships.status} = 'active' order by ${memberships.orgId}`,
);
