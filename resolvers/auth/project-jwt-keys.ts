import { z } from 'zod';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { endpoint, withKey, withServiceKey } from './endpoint.ts';
import { signingKeys } from './signing-keys.ts';

const KeysWire = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

const published = async (services: Services, target: ProjectTarget) => ({
  keys: (await signingKeys(services, target)).published as { readonly [member: string]: unknown }[],
});

/** `GET /internal/v1/project-jwt-keys`. Contract 01, section 1.4. */
export const projectJwtKeys = endpoint({
  name: 'auth.jwtKeys',
  summary: 'The public keys that this project’s access tokens are signed with.',
  input: z.object({}),
  admit: withServiceKey,
  handler: ({ services, target }) => published(services, target),
  wire: KeysWire,
});

/** `GET /auth/v1/.well-known/jwks.json`: the same keys for every key of the project, since they are public. */
export const jwks = endpoint({
  name: 'auth.jwks',
  summary: 'The public keys of this project’s access tokens, for clients that verify them.',
  input: z.object({}),
  admit: withKey,
  handler: ({ services, target }) => published(services, target),
  wire: KeysWire,
});
