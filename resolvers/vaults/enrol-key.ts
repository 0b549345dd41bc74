import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { memberEncryptionKeys } from '../../db/schema/vaults.ts';
import { insertInto, pick, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { noMember, requireMember } from '../orgs/shared/find-member.ts';
import { MemberKeyWire, type MemberWithKey, memberKeyToWire } from './member-with-key.ts';
import { type EncryptionKey, keysInside } from './shared/member-keys.ts';
import { memberAddress } from './vault-input.ts';
import { lockNamedOrg } from './vault-row.ts';

/** `POST /gitvault/v1/admin/:org_id/members/:principal_id/encryption-key`. */
export const enrolKey = mutation({
  name: 'vaults.enrolKey',
  tool: 'admin_enrol_vault_key',
  command: 'admin vault enrol-key',
  effects: ['idempotent'],
  summary: 'Enrol the encryption key of a member, which has one at a time; the same key again stays as it is.',
  access: platformAdmin(),
  input: z.object({
    ...memberAddress,
    fingerprint: z
      .string()
      .regex(/^[A-Za-z0-9+/=:_.-]{1,200}$/, 'must be 1 to 200 letters, digits or one of + / = : _ . -')
      .describe('Fingerprint of the key’s public half.'),
    custody_scheme: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a lower-case word, for example device_keystore')
      .describe('Where the secret half is kept, for example `device_keystore`.'),
  }),
  async handler(work, { org, principal, fingerprint, custody_scheme }): Promise<MemberWithKey & { enrolled: boolean }> {
    await lockNamedOrg(work, org);
    const member = await requireMember(work, org, principal);
    if (member.status !== 'active') throw noMember(principal);
    const [current] = await keysInside(work, org, principal);
    const key = current?.key ?? null;
    if (key !== null) {
      refuseAnother(key, fingerprint, custody_scheme);
      return { member, key, enrolled: false };
    }
    await work.rows(
      insertStatement.with({
        orgId: org,
        id: randomUUID(),
        principalId: principal,
        fingerprint,
        custodyScheme: custody_scheme,
      }),
    );
    const [made] = await keysInside(work, org, principal);
    return { member, key: made!.key!, enrolled: true };
  },
  audit: ({ key, member, enrolled }) =>
    enrolled
      ? {
          action: 'member.key_enrolled',
          object: { kind: 'principal', id: member.principalId },
          orgId: member.orgId,
          details: { ek_fingerprint: key.fingerprint },
        }
      : undefined,
  wire: MemberKeyWire,
  toWire: memberKeyToWire,
});

/** Another key while one is enrolled means that the keystore was rebuilt: an owner decides, by revoking the old one. */
function refuseAnother(key: EncryptionKey, fingerprint: string, custodyScheme: string): void {
  if (key.state === 'active' && key.fingerprint === fingerprint && key.custodyScheme === custodyScheme) return;
  throw new ServiceError('GITVAULT_KEY_ROTATION_REQUIRED', {
    details: { ek_fingerprint: key.fingerprint, state: key.state },
  });
}

const insertStatement = statement(
  'vaults.enrol',
  { params: pick(memberEncryptionKeys, 'orgId', 'id', 'principalId', 'fingerprint', 'custodyScheme') },
  (given) => insertInto(memberEncryptionKeys, { ...given, state: sql`'active'` }),
);
