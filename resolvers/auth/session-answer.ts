import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { accessSeconds, signAccessToken, type UserRole } from './access-token.ts';
import { ClientUserWire, clientUser } from './client-user.ts';
import { type AuthSettings, momentOf, momentOrNull, type SessionRow, type UserRow } from './rows.ts';

/** A session with what its tokens are made from. */
export interface ActiveSession {
  readonly session: SessionRow;
  readonly user: UserRow;
  readonly settings: AuthSettings;
}

const SessionUserWire = z
  .object({
    id: z.uuid(),
    email: z.string(),
    display_name: z.string().nullable(),
    avatar_url: z.string().nullable(),
    email_verified_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    ...ClientUserWire,
  })
  .meta({ id: 'SessionUser' });

const MagicLinkWire = z
  .object({
    intent: z.enum(['signin', 'invite', 'claim', 'recovery']),
    client_state: z.string().nullable(),
    state_source: z.enum(['anonymous', 'service_key']),
    state_trusted: z.boolean(),
    delivery: z.enum(['link', 'code', 'both']),
    verified_with: z.enum(['link', 'email_code']),
  })
  .meta({ id: 'RedeemedMagicLink' });

/** Contract 01, section 3.1: the answer to every grant. */
export const SessionWire = z
  .object({
    access_token: z.string().meta({ secret: true }),
    refresh_token: z.string().meta({ secret: true }),
    token_type: z.literal('bearer'),
    expires_in: z.number().int(),
    user: SessionUserWire,
    provider: z.string().optional(),
    magic_link: MagicLinkWire.optional(),
    elevation_required: z.boolean().optional(),
    required_method: z.literal('passkey').optional(),
    effective_role: z.literal('authenticated').optional(),
    intended_role: z.literal('project_admin').optional(),
  })
  .meta({ id: 'UserSession' });

export type SessionAnswer = z.output<typeof SessionWire>;

interface RoleFacts {
  readonly session: Pick<SessionRow, 'aal'>;
  readonly user: Pick<UserRow, 'is_admin'>;
  readonly settings: Pick<AuthSettings, 'require_passkey_for_project_admin'>;
}

/** The role that a session gives: an admin without the passkey that the project demands is a user like others. */
export function roleOf({ session, user, settings }: RoleFacts): UserRole {
  if (!user.is_admin) return 'authenticated';
  return settings.require_passkey_for_project_admin && session.aal !== 'aal2' ? 'authenticated' : 'project_admin';
}

/** Signs the tokens of a session. */
export async function answerSession(
  services: Services,
  target: ProjectTarget,
  standing: ActiveSession,
  refreshToken: string,
): Promise<SessionAnswer> {
  const { session, user } = standing;
  const role = roleOf(standing);
  const accessToken = await signAccessToken(services, target, {
    sub: user.id,
    role,
    email: user.email,
    email_verified: user.email_verified_at !== null,
    auth_time: Math.floor(Date.parse(session.auth_time) / 1000),
    amr: session.amr,
    aal: session.aal,
    ...(session.passkey_id === null ? {} : { passkey_id: session.passkey_id }),
    session_id: session.id,
    authz_version: user.authz_version,
    ...(session.is_test ? { is_test: true as const } : {}),
  });
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'bearer',
    expires_in: accessSeconds,
    user: {
      id: user.id,
      email: user.email,
      display_name: user.display_name,
      avatar_url: user.avatar_url,
      email_verified_at: momentOrNull(user.email_verified_at),
      created_at: momentOf(user.created_at),
      ...clientUser(user, session.provider === null ? [] : [session.provider]),
    },
    ...(session.provider === null ? {} : { provider: session.provider }),
    ...(user.is_admin && role === 'authenticated'
      ? {
          elevation_required: true,
          required_method: 'passkey' as const,
          effective_role: role,
          intended_role: 'project_admin' as const,
        }
      : {}),
  };
}

/** @throws SVC_AUTH_DOMAIN_NOT_ALLOWED for a social sign-in with an address of another domain than the project admits */
export function requireDomain(
  { allowed_email_domains: allowed }: AuthSettings,
  { email }: Pick<UserRow, 'email'>,
  amr: readonly string[],
): void {
  if (allowed.length === 0 || !amr.includes('oauth')) return;
  if (!allowed.includes(email.slice(email.lastIndexOf('@') + 1))) throw new ServiceError('SVC_AUTH_DOMAIN_NOT_ALLOWED');
}
