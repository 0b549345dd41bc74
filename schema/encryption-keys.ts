import type { MemberKey } from '../resolvers/orgs/load-members.ts';
import { type EncryptionKey, loadMemberKeys, type MemberKeys } from '../resolvers/vaults/shared/member-keys.ts';
import { builder } from './builder.ts';
import { inOrder } from './connection.ts';
import { loaderOf } from './loader.ts';
import { MemberRef, memberId } from './orgs.ts';

const EncryptionKeyStateEnum = builder.enumType('EncryptionKeyState', {
  description: 'Where a member’s encryption key stands.',
  values: {
    ACTIVE: { value: 'active', description: 'Vaults can be wrapped for it, and it writes where it is admitted.' },
    ROTATION_REQUIRED: { value: 'rotation_required', description: 'Its keystore was lost; an owner has to revoke it.' },
    REVOKED: { value: 'revoked', description: 'Ended.' },
  } as const,
});

const EnvelopeStateEnum = builder.enumType('EnvelopeState', {
  description: 'How far a member’s copy of the vaults’ keys has come.',
  values: {
    ENROLLED_PENDING_WRAP: { value: 'enrolled_pending_wrap', description: 'Its key waits to be admitted to a vault.' },
    NOT_ENROLLED: { value: 'not_enrolled', description: 'It has no key that a vault could be wrapped for.' },
    NOT_APPLICABLE: { value: 'not_applicable', description: 'There is nothing to wrap.' },
  } as const,
});

export const EncryptionKeyRef = builder.objectRef<EncryptionKey>('EncryptionKey').implement({
  description: 'The public half of the key that a member’s copy of the organization’s vaults is wrapped for.',
  fields: (t) => ({
    encryptionKeyId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    fingerprint: t.exposeString('fingerprint', { description: 'Fingerprint of the public half.' }),
    custodyScheme: t.exposeString('custodyScheme', { description: 'Where the secret half is kept.' }),
    state: t.expose('state', { type: EncryptionKeyStateEnum, description: 'Where it stands.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was enrolled.' }),
  }),
});

/** Keys of several members in one statement, however many ask. */
const keysOf = loaderOf(
  async (ctx, members: readonly MemberKey[]): Promise<readonly (MemberKeys | null)[]> =>
    inOrder(members.map(memberId), await loadMemberKeys(ctx, members), memberId),
  memberId,
);

builder.objectFields(MemberRef, (t) => ({
  encryptionKey: t.field({
    type: EncryptionKeyRef,
    nullable: true,
    description: 'The member’s current encryption key; null without one.',
    resolve: async (member, _args, ctx) => (await keysOf(ctx).load(member))?.key ?? null,
  }),
  envelope: t.field({
    type: EnvelopeStateEnum,
    description: 'How far the member’s copy of the vaults’ keys has come.',
    resolve: async (member, _args, ctx) => (await keysOf(ctx).load(member))?.envelope ?? 'not_applicable',
  }),
}));
