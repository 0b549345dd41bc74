import { z } from 'zod';
import { type Answer, asKept, jsonObject } from '../../../db/json.ts';
import type { passkeys } from '../../../db/project-schema/auth.ts';
import { allOf } from '../../../db/sql.ts';
import { momentOf, momentOrNull } from '../rows.ts';

/** A passkey as JSON. */
export const passkeyJson = (of: typeof passkeys) =>
  jsonObject(asKept(allOf(of, ['userId', 'credentialId', 'publicKey', 'signCount'])));

/** A passkey as its owner sees it. */
export type PasskeyRow = Answer<ReturnType<typeof passkeyJson>>;

/** Contract 01, section 3.1: `PasskeyRecord`. */
export const PasskeyWire = z
  .object({
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
  })
  .meta({ id: 'UserPasskey' });

export const passkeyToWire = (row: PasskeyRow): z.output<typeof PasskeyWire> => ({
  ...row,
  transports: [...row.transports],
  created_at: momentOf(row.created_at),
  last_used_at: momentOrNull(row.last_used_at),
});
