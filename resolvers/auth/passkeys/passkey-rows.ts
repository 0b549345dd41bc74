import { z } from 'zod';
import { momentOf, momentOrNull } from '../rows.ts';

/** A passkey as its owner sees it. */
export interface PasskeyRow {
  readonly id: string;
  readonly rp_id: string;
  readonly created_origin: string;
  readonly last_used_origin: string | null;
  readonly transports: readonly string[];
  readonly label: string | null;
  readonly credential_device_type: string | null;
  readonly credential_backed_up: boolean | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** A passkey as JSON, by the alias of its row. */
export const passkeyJson = (alias: string): string =>
  `to_jsonb(${alias}) - 'user_id' - 'credential_id' - 'public_key' - 'sign_count'`;

/** Contract 01, section 3.1: `PasskeyRecord`. */
export const PasskeyWire = z.object({
  id: z.uuid(),
  rp_id: z.string(),
  created_origin: z.string(),
  last_used_origin: z.string().nullable(),
  transports: z.array(z.string()),
  label: z.string().nullable(),
  credential_device_type: z.string().nullable(),
  credential_backed_up: z.boolean().nullable(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
});

export const passkeyToWire = (row: PasskeyRow): z.output<typeof PasskeyWire> => ({
  ...row,
  transports: [...row.transports],
  created_at: momentOf(row.created_at),
  last_used_at: momentOrNull(row.last_used_at),
});
