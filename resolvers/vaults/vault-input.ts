import { z } from 'zod';
import { orgId, principalId } from '../../kernel/input/fields.ts';

/** How a vault is addressed. Any text is the id of a vault, or of a key, that nobody has. */
export const vaultAddress = {
  org: orgId,
  vault: z.string().min(1).max(1024).describe('Vault, a UUID.'),
};

export const writerAddress = {
  ...vaultAddress,
  encryption_key_id: z.string().min(1).max(1024).describe('Encryption key of a member, a UUID.'),
};

export const memberAddress = { org: orgId, principal: principalId };
