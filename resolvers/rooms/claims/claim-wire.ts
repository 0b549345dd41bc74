import { z } from 'zod';
import type { Claim } from '../../../db/schema/claims.ts';

/** Contract 02, section 2.7. */
export const ClaimWire = z
  .object({
    claim_id: z.string(),
    resource: z.string(),
    mode: z.enum(['exclusive', 'shared']),
    note: z.string().nullable(),
    holder: z.string(),
    expires_at: z.iso.datetime(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'RoomClaim' });

export const claimToWire = (claim: Claim): z.infer<typeof ClaimWire> => ({
  claim_id: claim.id,
  resource: claim.resource,
  mode: claim.mode,
  note: claim.note,
  holder: claim.holder,
  expires_at: claim.expiresAt.toISOString(),
  created_at: claim.createdAt.toISOString(),
});
