import { sql } from 'drizzle-orm';
import type { Statement } from '../../../db/pool.ts';
import type { EncryptionKeyState } from '../../../db/schema/vaults.ts';
import { textOf } from '../../../db/sql.ts';
import { isMember } from '../../../kernel/access/rules.ts';
import { visibilityOf } from '../../../kernel/access/visibility.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { vaultStands, writes } from './writers.ts';

/**
 * How far a member's copy of the vault keys has come: its key waits to be admitted, it has none to wrap for, or there
 * is nothing to wrap.
 */
export type Envelope = 'enrolled_pending_wrap' | 'not_enrolled' | 'not_applicable';

/** The public half of a member's encryption key, as it stands. */
export interface EncryptionKey {
  readonly id: string;
  readonly fingerprint: string;
  readonly custodyScheme: string;
  readonly state: EncryptionKeyState;
  readonly createdAt: Date;
}

export interface MemberKeys {
  readonly orgId: string;
  readonly principalId: string;
  /** The current key; null without one. */
  readonly key: EncryptionKey | null;
  readonly envelope: Envelope;
}

type KeyRow = Omit<EncryptionKey, 'id'> & {
  readonly orgId: string;
  readonly principalId: string;
  readonly id: string | null;
  readonly envelope: Envelope;
};

const toMemberKeys = ({ orgId, principalId, envelope, id, ...key }: KeyRow): MemberKeys => ({
  orgId,
  principalId,
  envelope,
  key: id === null ? null : { id, ...key },
});

/** Keys of members that the caller may see, and its own, in one statement. */
export async function loadMemberKeys(
  ctx: Context,
  members: readonly { readonly orgId: string; readonly principalId: string }[],
): Promise<MemberKeys[]> {
  const caller = await ctx.caller();
  const [self, , everything] = visibilityOf(caller);
  const orgIds = members.map(({ orgId }) => orgId);
  const principalIds = members.map(({ principalId }) => principalId);
  return (await ctx.services.db.rows<KeyRow>(keysStatement, [orgIds, principalIds, self, everything])).map(
    toMemberKeys,
  );
}

/** The key of one member as it stands inside a change of it. */
export async function keysInside(work: Work, orgId: string, principalId: string): Promise<MemberKeys[]> {
  return (await work.rows<KeyRow>(keysStatement, [[orgId], [principalId], null, true])).map(toMemberKeys);
}

/** A principal's own newest key that was not revoked, in whichever organization. */
export async function newestKeyOf(ctx: Context, principalId: string): Promise<EncryptionKey | null> {
  const [key] = await ctx.services.db.rows<EncryptionKey>(newestStatement, [principalId]);
  return key ?? null;
}

const keyColumns = `k.id, k.fingerprint, k.custody_scheme as "custodyScheme", k.state, k.created_at as "createdAt"`;

const keysStatement: Statement = {
  name: 'vaults.member-keys',
  text: `select m.org_id as "orgId", m.principal_id as "principalId", ${keyColumns},
      case
        when not (${writes('m')})
          or not exists (select from vaults v where v.org_id = m.org_id and ${vaultStands('v')}) then 'not_applicable'
        when k.state is distinct from 'active' then 'not_enrolled'
        when exists (select from vaults v where v.org_id = m.org_id and ${vaultStands('v')} and not exists (
          select from vault_writers w where w.org_id = v.org_id and w.vault_id = v.id
            and w.encryption_key_id = k.id and w.removed_at is null)) then 'enrolled_pending_wrap'
        else 'not_applicable'
      end as envelope
    from memberships m
    left join member_encryption_keys k
      on k.org_id = m.org_id and k.principal_id = m.principal_id and k.state <> 'revoked'
    where (m.org_id, m.principal_id) in (select * from unnest($1::uuid[], $2::text[]))
      and (m.principal_id = $3 or $4::boolean or ${textOf(isMember(sql.raw('m.org_id'), sql.raw('$3')))})`,
};

const newestStatement: Statement = {
  name: 'vaults.newest-key',
  text: `select ${keyColumns} from member_encryption_keys k
    where k.principal_id = $1 and k.state <> 'revoked' order by k.created_at desc, k.id limit 1`,
};
