import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const vaultErrors = defineErrors({
  VAULT_NOT_FOUND: row(404, 'not_found', 'The project has no vault.'),
  GITVAULT_WRITER_NOT_ADMITTED: row(409, 'conflict', 'The caller’s key is not a writer of every vault.', {
    nextActions: [{ type: 'request_writer_sync', why: 'Have a writer of the vaults admit this key.' }],
  }),
  EPOCH_ROTATION_REQUIRED: row(409, 'conflict', 'A writer was removed; the vault’s key has to be rotated first.', {
    nextActions: [{ type: 'rotate_epoch', why: 'A remaining writer rotates the vault’s key.' }],
  }),
  GITVAULT_KEY_ROTATION_REQUIRED: row(409, 'conflict', 'The member’s keystore was lost or rebuilt.', {
    nextActions: [{ type: 'revoke_key', why: 'An owner revokes the member’s key; then a new one can be enrolled.' }],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof vaultErrors, ErrorRow> {}
}
