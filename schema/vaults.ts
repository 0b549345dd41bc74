import { admitWriter } from '../resolvers/vaults/admit-writer.ts';
import { enrolKey } from '../resolvers/vaults/enrol-key.ts';
import { findVault } from '../resolvers/vaults/find-vault.ts';
import { takePush } from '../resolvers/vaults/push.ts';
import { registerVault } from '../resolvers/vaults/register-vault.ts';
import { reportLostKey } from '../resolvers/vaults/report-lost-key.ts';
import { rotateEpoch } from '../resolvers/vaults/rotate-epoch.ts';
import type { VaultRow, Writer } from '../resolvers/vaults/vault-row.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { changeField, readField } from './operation-field.ts';
import { MemberRef } from './orgs.ts';

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

readField('vault', findVault, { type: VaultRef });

changeField('enrolMemberKey', enrolKey, {
  type: MemberRef,
  input: 'The encryption key of a member.',
  argument: 'The key.',
  ids: { principal: null },
  result: ({ member }) => member,
});

changeField('reportLostMemberKey', reportLostKey, {
  type: MemberRef,
  input: 'The member whose keystore was lost.',
  argument: 'The member.',
  ids: { principal: null },
  result: ({ member }) => member,
});

changeField('registerVault', registerVault, {
  type: VaultRef,
  input: 'The project whose vault is registered.',
  argument: 'The project.',
  result: ({ vault }) => vault,
});

const ofVaultAndKey = {
  type: VaultRef,
  input: 'A vault and a key.',
  inputName: 'VaultWriterInput',
  argument: 'The vault and the key.',
  ids: { vault: null, encryption_key_id: null },
  rename: { encryption_key_id: 'encryptionKey' },
} as const;

changeField('admitVaultWriter', admitWriter, { ...ofVaultAndKey, result: ({ vault }) => vault });
changeField('takeVaultPush', takePush, ofVaultAndKey);
changeField('rotateVaultEpoch', rotateEpoch, ofVaultAndKey);
