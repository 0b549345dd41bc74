import { z } from 'zod';
import { ClientUserWire, clientUser } from './client-user.ts';
import { asUser, endpoint } from './endpoint.ts';
import type { UserFacts } from './live-session.ts';
import { ownRpId } from './redirects.ts';
import { type IdentityRow, momentOf, momentOrNull } from './rows.ts';

export const appOrigin = z
  .string()
  .max(2_048)
  .optional()
  .describe('Origin of the app that asks, for what is said of its passkeys.');

export const IdentityWire = z
  .object({
    provider: z.string(),
    provider_sub: z.string(),
    provider_email: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'UserIdentity' });

export const identityToWire = ({ created_at, ...identity }: IdentityRow) => ({
  ...identity,
  created_at: momentOf(created_at),
});

/** One name for what is a provider and a subject, for clients that unlink by it. */
const identityIdOf = ({ provider, provider_sub }: Pick<IdentityRow, 'provider' | 'provider_sub'>): string =>
  `${provider}:${provider_sub}`;

/** Reads what {@link identityIdOf} wrote. */
export function readIdentityId(id: string): { readonly provider: string; readonly subject: string } {
  const colon = id.indexOf(':');
  return { provider: id.slice(0, Math.max(0, colon)), subject: id.slice(colon + 1) };
}

export const UserWire = z
  .object({
    id: z.uuid(),
    email: z.string(),
    display_name: z.string().nullable(),
    avatar_url: z.string().nullable(),
    email_verified_at: z.iso.datetime().nullable(),
    last_sign_in_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    is_admin: z.boolean(),
    has_passkeys: z.boolean(),
    passkey_count: z.number().int(),
    has_passkey_for_current_rp: z.boolean().nullable(),
    current_rp_id: z.string().nullable(),
    identities: z.array(IdentityWire.extend({ identity_id: z.string() })),
    ...ClientUserWire,
  })
  .meta({ id: 'ProjectUser' });

/** @param rpId host that passkeys are asked for, if any is */
export const userToWire = ({ account, identities, passkeyRps }: UserFacts, rpId: string | null) => ({
  id: account.id,
  email: account.email,
  display_name: account.display_name,
  avatar_url: account.avatar_url,
  email_verified_at: momentOrNull(account.email_verified_at),
  last_sign_in_at: momentOrNull(account.last_sign_in_at),
  created_at: momentOf(account.created_at),
  is_admin: account.is_admin,
  has_passkeys: passkeyRps.length > 0,
  passkey_count: passkeyRps.length,
  has_passkey_for_current_rp: rpId === null ? null : passkeyRps.includes(rpId),
  current_rp_id: rpId,
  identities: identities.map((identity) => ({ ...identityToWire(identity), identity_id: identityIdOf(identity) })),
  ...clientUser(
    account,
    identities.map(({ provider }) => provider),
  ),
});

/** `GET /auth/v1/user`. Contract 01, sections 3.1 and 3.4. */
export const getUser = endpoint({
  name: 'auth.user',
  summary: 'The user whose access token it is.',
  input: z.object({ app_origin: appOrigin }),
  admit: asUser,
  async handler(ctx, { app_origin }) {
    const { services, target } = ctx;
    return userToWire(ctx, app_origin === undefined ? null : await ownRpId(services, target, app_origin));
  },
  wire: UserWire,
});
