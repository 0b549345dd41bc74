import { dropNulls } from '../core/drop-nulls.ts';
import { admitWriter } from '../resolvers/vaults/admit-writer.ts';
import { enrolKey } from '../resolvers/vaults/enrol-key.ts';
import { takePush } from '../resolvers/vaults/push.ts';
import { registerVault } from '../resolvers/vaults/register-vault.ts';
import { reportLostKey } from '../resolvers/vaults/report-lost-key.ts';
import { rotateEpoch } from '../resolvers/vaults/rotate-epoch.ts';
import type { VaultRow, Writer } from '../resolvers/vaults/vault-row.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField, projectField } from './input-fields.ts';
import { memberFields } from './members.ts';
import { fieldOf } from './operation-field.ts';
import { MemberRef } from './orgs.ts';
import { run } from './run.ts';

const VaultWriterRef = builder.objectRef<Writer>('VaultWriter').implement({
  description: 'A key that a vault takes writes from.',
  fields: (t) => ({
    encryptionKeyId: t.exposeString('encryptionKeyId', { description: 'Native id of the key, a UUID.' }),
    principalId: t.exposeString('principalId', { description: 'Principal whose key it is, `prn_…`.' }),
    admittedAt: t.expose('admittedAt', { type: 'DateTime', description: 'When it was admitted.' }),
  }),
});

const VaultWriterConnection = builder.connectionObject({ type: VaultWriterRef, name: 'VaultWriterConnection' });

const VaultRef = builder.objectRef<VaultRow>('Vault').implement({
  description: 'The encrypted source vault of a project: who may write to it, and under which epoch of its key.',
  fields: (t) => ({
    vaultId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    projectId: t.exposeString('projectId', { description: 'Native id of its project, `prj_…`.' }),
    epoch: t.exposeInt('epoch', { description: 'Raised with each rotation of the vault’s key.' }),
    rotationRequiredSince: t.expose('rotationRequiredSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when nothing is taken until a surviving writer has rotated; null when all is well.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was registered.' }),
    writers: t.field({
      type: VaultWriterConnection,
      description: 'The keys that were admitted and not removed, oldest first.',
      args: pageArgs,
      resolve: ({ writers }, page) => sliceConnection(writers, ({ encryptionKeyId }) => encryptionKeyId, page),
    }),
  }),
});

const EnrolMemberKeyInput = builder.inputType('EnrolMemberKeyInput', {
  description: 'The encryption key of a member.',
  fields: (t) => ({
    ...memberFields(t),
    fingerprint: t.string({ description: 'Fingerprint of the key’s public half.' }),
    custodyScheme: t.string({ description: 'Where the secret half is kept, for example `device_keystore`.' }),
  }),
});

const ReportLostMemberKeyInput = builder.inputType('ReportLostMemberKeyInput', {
  description: 'The member whose keystore was lost.',
  fields: memberFields,
});

const RegisterVaultInput = builder.inputType('RegisterVaultInput', {
  description: 'The project whose vault is registered.',
  fields: (t) => ({
    ...orgField(t),
    ...projectField(t),
    ...keyField(t),
  }),
});

const VaultWriterInput = builder.inputType('VaultWriterInput', {
  description: 'A vault and a key.',
  fields: (t) => ({
    ...orgField(t),
    vault: t.id({ description: 'Vault, a UUID.' }),
    encryptionKey: t.id({ description: 'Encryption key of a member, a UUID.' }),
    ...keyField(t),
  }),
});

type WriterInput = typeof VaultWriterInput.$inferInput;

/** What the operations on a vault and a key take. */
function writerOf(input: WriterInput) {
  const { org, vault, encryptionKey, idempotencyKey } = dropNulls(input);
  return {
    key: idempotencyKey,
    input: { org: nativeId('Organization', org), vault, encryption_key_id: encryptionKey },
  };
}

const writerNames = { encryption_key_id: 'encryptionKey' } as const;

builder.mutationFields((t) => {
  const writer = { input: t.arg({ type: VaultWriterInput, description: 'The vault and the key.' }) };
  return {
    enrolMemberKey: t.field({
      type: MemberRef,
      nullable: true,
      ...fieldOf(enrolKey),
      authScopes: { credential: true },
      args: { input: t.arg({ type: EnrolMemberKeyInput, description: 'The key.' }) },
      resolve: async (_root, { input }, ctx) => {
        const { org, principal, fingerprint, custodyScheme, idempotencyKey } = dropNulls(input);
        const { member } = await run(enrolKey, keyed(ctx, idempotencyKey), {
          org: nativeId('Organization', org),
          principal,
          fingerprint,
          custody_scheme: custodyScheme,
        });
        return member;
      },
    }),
    reportLostMemberKey: t.field({
      type: MemberRef,
      nullable: true,
      ...fieldOf(reportLostKey),
      authScopes: { credential: true },
      args: { input: t.arg({ type: ReportLostMemberKeyInput, description: 'The member.' }) },
      resolve: async (_root, { input }, ctx) => {
        const { org, principal, idempotencyKey } = dropNulls(input);
        const { member } = await run(reportLostKey, keyed(ctx, idempotencyKey), {
          org: nativeId('Organization', org),
          principal,
        });
        return member;
      },
    }),
    registerVault: t.field({
      type: VaultRef,
      nullable: true,
      ...fieldOf(registerVault),
      authScopes: { credential: true },
      args: { input: t.arg({ type: RegisterVaultInput, description: 'The project.' }) },
      resolve: async (_root, { input }, ctx) => {
        const { org, project, idempotencyKey } = dropNulls(input);
        const given = { org: nativeId('Organization', org), project_id: nativeId('Project', project) };
        const { vault } = await run(registerVault, keyed(ctx, idempotencyKey), given, { project_id: 'project' });
        return vault;
      },
    }),
    admitVaultWriter: t.field({
      type: VaultRef,
      nullable: true,
      ...fieldOf(admitWriter),
      authScopes: { credential: true },
      args: writer,
      resolve: async (_root, { input }, ctx) => {
        const given = writerOf(input);
        const { vault } = await run(admitWriter, keyed(ctx, given.key), given.input, writerNames);
        return vault;
      },
    }),
    takeVaultPush: t.field({
      type: VaultRef,
      nullable: true,
      ...fieldOf(takePush),
      authScopes: { credential: true },
      args: writer,
      resolve: (_root, { input }, ctx) => {
        const given = writerOf(input);
        return run(takePush, keyed(ctx, given.key), given.input, writerNames);
      },
    }),
    rotateVaultEpoch: t.field({
      type: VaultRef,
      nullable: true,
      ...fieldOf(rotateEpoch),
      authScopes: { credential: true },
      args: writer,
      resolve: async (_root, { input }, ctx) => {
        const given = writerOf(input);
        return await run(rotateEpoch, keyed(ctx, given.key), given.input, writerNames);
      },
    }),
  };
});
