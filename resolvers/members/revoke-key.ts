import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { memberEncryptionKeys, vaultWriters } from '../../db/schema/vaults.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { oneLine, orgId, principalId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { findMembership, noMember } from '../orgs/shared/find-member.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import type { MemberRow } from '../orgs/shared/member-row.ts';
import { type EncryptionKey, keysInside } from '../vaults/shared/member-keys.ts';
import { NextActionsWire } from '../vaults/shared/wire.ts';
import { requireRotation } from '../vaults/shared/writers.ts';
import { memberActions } from './shared/actions.ts';

export interface RevokedKey {
  readonly member: MemberRow;
  /** As it was; null when there was none to revoke. */
  readonly key: EncryptionKey | null;
  /** Whether vaults now wait for a writer who changes their key. */
  readonly rotationRequired: boolean;
}

/** `DELETE /orgs/v1/:org_id/members/:principal_id/encryption-key`, also while the lease has lapsed. Contract 01, section 6.4. */
export const revokeMemberKey = mutation({
  name: 'members.revokeKey',
  tool: 'revoke_org_member_key',
  command: 'org member revoke-key',
  effects: ['destructive', 'idempotent'],
  summary: 'Revoke the encryption key of a member: it writes to no vault any more, and another can be enrolled.',
  access: onOrg(memberActions['org:members:write'], ({ org }: { org: string }) => org),
  stepUp: 'org.membership',
  input: z.object({
    org: orgId,
    principal: principalId,
    reason: z.string().normalize('NFC').trim().pipe(oneLine(200)).optional().describe('Why, at most 200 characters.'),
  }),
  async handler(work, { principal, reason }): Promise<RevokedKey> {
    await lockOrgFor(work, work.org.id, memberActions['org:members:write']);
    const org = work.org.id;
    const member = await findMembership(work, org, principal);
    const [found] = await keysInside(work, org, principal);
    const key = found?.key ?? null;
    // The key of a member who has been removed can still be revoked.
    if (member === undefined || (member.status === 'revoked' && key === null)) throw noMember(principal);
    if (key === null) return { member, key, rotationRequired: false };
    const waiting = await requireRotation(work, org, principal);
    await work.rows(removeStatement.with({ orgId: org, encryptionKeyId: key.id }));
    await work.rows(revokeStatement.with({ orgId: org, id: key.id, revokedReason: reason || null }));
    return { member, key, rotationRequired: waiting.length > 0 };
  },
  audit: ({ member, key }, { reason }) =>
    key === null
      ? undefined
      : {
          action: 'member.key_revoked',
          object: { kind: 'principal', id: member.principalId },
          details: { ek_fingerprint: key.fingerprint, ...(reason ? { reason } : {}) },
        },
  wire: z.object({
    status: z.enum(['revoked', 'no_key']),
    principal_id: z.string(),
    ek_fingerprint: z.string().nullable(),
    next_actions: NextActionsWire,
  }),
  toWire: ({ member, key, rotationRequired }) => ({
    status: key === null ? ('no_key' as const) : ('revoked' as const),
    principal_id: member.principalId,
    ek_fingerprint: key?.fingerprint ?? null,
    next_actions: [
      ...(rotationRequired ? [{ type: 'rotate_epoch', why: 'A remaining writer rotates the vaults’ keys.' }] : []),
      ...(key === null ? [] : [{ type: 'enrol_key', why: 'The member can enrol a new key.' }]),
    ],
  }),
});

const removeStatement = statement(
  'members.remove-writer',
  { params: pick(vaultWriters, 'orgId', 'encryptionKeyId') },
  ({ orgId, encryptionKeyId }) => sql`update ${vaultWriters} ${setOf(vaultWriters, { removedAt: sql`now()` })}
    where ${vaultWriters.orgId} = ${orgId} and ${vaultWriters.encryptionKeyId} = ${encryptionKeyId}
      and ${vaultWriters.removedAt} is null`,
);

const revokeStatement = statement(
  'members.revoke-key',
  { params: pick(memberEncryptionKeys, 'orgId', 'id', 'revokedReason') },
  ({ orgId, id, revokedReason }) => sql`update ${memberEncryptionKeys}
    ${setOf(memberEncryptionKeys, { state: sql`'revoked'`, revokedAt: sql`now()`, revokedReason })}
    where ${memberEncryptionKeys.orgId} = ${orgId} and ${memberEncryptionKeys.id} = ${id}`,
);
