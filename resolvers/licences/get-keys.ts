import { z } from 'zod';
import type { PublishedKey } from '../../engines/licences/signer.ts';
import { anyone } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';

/** `GET /.well-known/jwks.json`. Contract 00, section 5.6. */
export const getKeys = query({
  name: 'licences.getKeys',
  tool: 'get_licence_keys',
  command: 'audit licence-keys',
  summary: 'The public keys that licences and orders of the audit gateway are signed with, as a JSON Web Key Set.',
  access: anyone(),
  input: z.object({}),
  handler: async ({ services }): Promise<readonly PublishedKey[]> => (await services.signer)?.published ?? [],
  wire: z.object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string(),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      }),
    ),
  }),
  toWire: (keys) => ({ keys: [...keys] }),
});
