import { z } from 'zod';
import { endpoint, withServiceKey } from './endpoint.ts';
import { signingKeys } from './signing-keys.ts';

/** `GET /internal/v1/project-jwt-keys`. Contract 01, section 1.4. */
export const projectJwtKeys = endpoint({
  name: 'auth.jwtKeys',
  summary: 'The public keys that this project’s access tokens are signed with.',
  input: z.object({}),
  admit: withServiceKey,
  async handler({ services, target }) {
    const { published } = await signingKeys(services, target);
    return { keys: published as { readonly [member: string]: unknown }[] };
  },
  wire: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
});
