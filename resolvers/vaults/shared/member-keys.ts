import { sql } from '../../../db/drizzle.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { type EncryptionKeyState, memberEncryptionKeys, vaults, vaultWriters } from '../../../db/schema/vaults.ts';
import { computed, orNull, pick, type RowOf, statement, typed } from '../../../db/sql.ts';
import { isMember } from '../../../kernel/access/rules.ts';
import { visibilityOf } from '../../../kernel/access/visibility.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { ofVault, vaultStands, writes } from './writers.ts';

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

const toMemberKeys = ({ orgId, principalId, envelope, ...key }: RowOf<typeof memberKeyColumns>): MemberKeys => ({
  orgId,
  principalId,
  envelope,
  key: key.id === null ? null : (key as EncryptionKey),
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
  const found = await ctx.services.db.rows(keysStatement.with({ orgIds, principalIds, self, everything }));
  return found.map(toMemberKeys);
}

/** The key of one member as it stands inside a change of it. */
export async function keysInside(work: Work, orgId: string, principalId: string): Promise<MemberKeys[]> {
  const asked = { orgIds: [orgId], principalIds: [principalId], self: null, everything: true };
  return (await work.rows(keysStatement.with(asked))).map(toMemberKeys);
}

/** A principal's own newest key that was not revoked, in whichever organization. */
export async function newestKeyOf(ctx: Context, principalId: string): Promise<EncryptionKey | null> {
  const [key] = await ctx.services.db.rows(newestStatement.with({ principalId }));
  return key ?? null;
}

const keyColumns = pick(memberEncryptionKeys, 'id', 'fingerprint', 'custodyScheme', 'state', 'createdAt');

const activeVaults = sql`select from ${vaults} where ${vaults.orgId} = ${memberships.orgId} and ${vaultStands}`;
const memberKeyColumns = {
  ...pick(memberships, 'orgId', 'principalId'),
  ...orNull(keyColumns),
  envelope: computed<Envelope>(
    'text',
    sql`case
      when not (${writes(memberships)}) or not exists (${activeVaults}) then 'not_applicable'
      when ${memberEncryptionKeys.state} is distinct from 'active' then 'not_enrolled'
      when exists (${activeVaults} and not exists (
        select from ${vaultWriters} where ${ofVault} and ${vaultWriters.encryptionKeyId} = ${memberEncryptionKeys.id}
          and ${vaultWriters.removedAt} is null)) then 'enrolled_pending_wrap'
      else 'not_applicable'
    end`,
  ),
};

const keysStatement = statement(
  'vaults.member-keys',
  {
    params: {
      orgIds: typed<readonly string[]>('uuid[]'),
      principalIds: typed<readonly string[]>('text[]'),
      self: typed<string | null>('text'),
      everything: typed<boolean>('boolean'),
    },
    row: memberKeyColumns,
  },
  ({ orgIds, principalIds, self, everything }, row) => sql`select ${row} from ${memberships}
    left join ${memberEncryptionKeys} on ${memberEncryptionKeys.orgId} = ${memberships.orgId}
      and ${memberEncryptionKeys.principalId} = ${memberships.principalId} and ${memberEncryptionKeys.state} <> 'revoked'
    where (${memberships.orgId}, ${memberships.principalId}) in (select * from unnest(${orgIds}::uuid[], ${principalIds}::text[]))
      and (${memberships.principalId} = ${self} or ${everything}::boolean or ${isMember(memberships.orgId, self)})`,
);

const newestStatement = statement(
  'vaults.newest-key',
  { params: pick(memberEncryptionKeys, 'principalId'), row: keyColumns },
  ({ principalId }, row) => sql`select ${row} from ${memberEncryptionKeys}
    where ${memberEncryptionKeys.principalId} = ${principalId} and ${memberEncryptionKeys.state} <> 'revoked'
    order by ${memberEncryptionKeys.createdAt} desc, ${memberEncryptionKeys.id} limit 1`,
);
