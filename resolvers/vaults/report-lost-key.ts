import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { memberEncryptionKeys } from '../../db/schema/vaults.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { requireMember } from '../orgs/shared/find-member.ts';
import { MemberKeyWire, type MemberWithKey, memberKeyToWire } from './member-with-key.ts';
import { keysInside } from './shared/member-keys.ts';
import { memberAddress } from './vault-input.ts';
import { lockNamedOrg } from './vault-row.ts';

/** `POST /gitvault/v1/admin/:org_id/members/:principal_id/encryption-key/lost`. */
export const reportLostKey = mutation({
  name: 'vaults.reportLostKey',
  tool: 'admin_report_lost_vault_key',
  command: 'admin vault report-lost-key',
  effects: ['destructive'],
  summary: 'Report that a member’s keystore was lost: its key writes nothing more, and an owner has to revoke it.',
  path: 'POST /gitvault/v1/admin/:org_id/members/:principal_id/encryption-key/lost',
  access: platformAdmin(),
  input: z.object(memberAddress),
  async handler(work, { org, principal }): Promise<MemberWithKey & { reported: boolean }> {
    await lockNamedOrg(work, org);
    const member = await requireMember(work, org, principal);
    const reported = await work.rows(loseStatement.with({ orgId: org, principalId: principal }));
    const [current] = await keysInside(work, org, principal);
    const key = current?.key ?? null;
    if (key === null) {
      throw new ServiceError('RESOURCE_NOT_FOUND', {
        message: 'The member has no encryption key.',
        details: { principal_id: principal },
      });
    }
    return { member, key, reported: reported.length > 0 };
  },
  audit: ({ key, member, reported }) =>
    reported
      ? {
          action: 'member.key_lost',
          object: { kind: 'principal', id: member.principalId },
          orgId: member.orgId,
          details: { ek_fingerprint: key.fingerprint },
        }
      : undefined,
  wire: MemberKeyWire,
  toWire: memberKeyToWire,
});

const loseStatement = statement(
  'vaults.lose-key',
  { params: pick(memberEncryptionKeys, 'orgId', 'principalId'), row: pick(memberEncryptionKeys, 'id') },
  ({ orgId, principalId }, row) =>
    sql`update ${memberEncryptionKeys} ${setOf(memberEncryptionKeys, { state: sql`'rotation_required'` })}
      where ${memberEncryptionKeys.orgId} = ${orgId} and ${memberEncryptionKeys.principalId} = ${principalId}
        and ${memberEncryptionKeys.state} = 'active' returning ${row}`,
);
