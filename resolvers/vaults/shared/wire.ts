import { z } from 'zod';
import type { VaultRow } from '../vault-row.ts';
import type { EncryptionKey, Envelope } from './member-keys.ts';

/** Contract 01, section 5.15. */
export const EncryptionKeyWire = z
  .object({
    encryption_key_id: z.uuid(),
    ek_fingerprint: z.string(),
    custody_scheme: z.string(),
    state: z.enum(['active', 'rotation_required', 'revoked']),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'EncryptionKey' });

export const encryptionKeyToWire = (key: EncryptionKey) => ({
  encryption_key_id: key.id,
  ek_fingerprint: key.fingerprint,
  custody_scheme: key.custodyScheme,
  state: key.state,
  created_at: key.createdAt.toISOString(),
});

/** Contract 01, section 6.4. */
export const EnvelopeWire = z.object({
  state: z.enum(['enrolled_pending_wrap', 'not_enrolled', 'not_applicable']),
});

export const NextActionsWire = z.array(z.object({ type: z.string(), why: z.string() }));

const actionsOf: Readonly<Record<Envelope, z.infer<typeof NextActionsWire>>> = {
  enrolled_pending_wrap: [
    { type: 'request_writer_sync', why: 'Have a writer of the vaults admit the member’s key to them.' },
  ],
  not_enrolled: [{ type: 'enrol_key', why: 'The member enrols an encryption key; then a writer can admit it.' }],
  not_applicable: [],
};

/** What has to be done before a new member can read and write vaults. */
export const envelopeActions = (envelope: Envelope) => [...actionsOf[envelope]];

export const VaultWire = z
  .object({
    vault_id: z.uuid(),
    org_id: z.uuid(),
    project_id: z.string(),
    epoch: z.number(),
    rotation_required_since: z.iso.datetime().nullable(),
    writers: z.array(
      z.object({ encryption_key_id: z.uuid(), principal_id: z.string(), admitted_at: z.iso.datetime() }),
    ),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Vault' });

export const vaultToWire = (vault: VaultRow) => ({
  vault_id: vault.id,
  org_id: vault.orgId,
  project_id: vault.projectId,
  epoch: vault.epoch,
  rotation_required_since: vault.rotationRequiredSince?.toISOString() ?? null,
  writers: vault.writers.map(({ encryptionKeyId, principalId, admittedAt }) => ({
    encryption_key_id: encryptionKeyId,
    principal_id: principalId,
    admitted_at: admittedAt.toISOString(),
  })),
  created_at: vault.createdAt.toISOString(),
});
