import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sha256Hex } from '../../../core/keys.ts';
import { sql } from '../../../db/drizzle.ts';
import { jsonObject } from '../../../db/json.ts';
import { isUniqueViolation } from '../../../db/pool.ts';
import { identities, users } from '../../../db/project-schema/auth.ts';
import { computed, insertSelect, type ParametersOf, typed } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { email, fitsJson } from '../auth-input.ts';
import { asUser, endpoint, withServiceKey } from '../endpoint.ts';
import { SessionWire } from '../session-answer.ts';
import { endSessions, startSession } from '../sessions.ts';
import { authRow, authStatement } from '../shared/auth-rows.ts';

/** What functions of a project verify by themselves. Contract 02, section 7.7. */
const providers = ['wallet', 'oidc', 'custom'] as const;
/** Ways to prove oneself to the gateway: what a function has seen is not told as one of them. */
const own: ReadonlySet<string> = new Set(['password', 'magic_link', 'email_code', 'oauth', 'passkey', 'test']);
const proofBytesMax = 16 * 1024;

/**
 * `POST /auth/v1/sessions/from-identity`: a session for whom a function of the project has verified. The service key
 * vouches for it; a proof that is left out is a function that has forgotten to look.
 */
export const sessionFromIdentity = endpoint({
  name: 'auth.sessionFromIdentity',
  summary: 'Begin a session for an identity that a function of the project has verified.',
  input: z.object({
    provider: z.string().min(1).max(64).describe('`wallet`, `oidc` or `custom`.'),
    subject: z.string().min(1).max(512).describe('What the provider calls the user; the same is always the same user.'),
    proof: z
      .unknown()
      .refine((proof) => fitsJson(proof, proofBytesMax), 'at most 16384 bytes as JSON')
      .optional()
      .describe('What was verified, as a text or an object; it is not kept.')
      .meta({ secret: true }),
    amr: z
      .array(
        z
          .string()
          .regex(/^[a-z0-9_.:-]{1,64}$/, 'must match ^[a-z0-9_.:-]{1,64}$')
          .refine((one) => !own.has(one), 'is a way to sign in here, which this is not'),
      )
      .max(8)
      .optional()
      .describe('How the user has proven itself to the function; the provider when absent.'),
    createUser: z.boolean().default(false).describe('Whether an unknown identity becomes a user.'),
    email: email.optional().describe('Address of the user that is made; one that nobody can have when absent.'),
    display_name: z.string().min(1).max(256).optional().describe('Name of the user that is made.'),
  }),
  admit: withServiceKey,
  async handler({ services, target }, { provider, subject, proof, amr, createUser, ...named }) {
    requireProvider(provider);
    if (!isProof(proof)) throw new ServiceError('SVC_AUTH_SESSION_BRIDGE_UNVERIFIED');
    const address = named.email ?? `${sha256Hex(`${provider}:${subject}`).slice(0, 40)}@${provider}.invalid`;
    const { outcome, id } = await admit(services, target, {
      provider,
      subject,
      address,
      displayName: named.display_name ?? null,
      email: named.email ?? null,
      createUser,
    });
    if (outcome === 'unknown') throw new ServiceError('SVC_AUTH_UNKNOWN_IDENTITY');
    if (outcome === 'taken' || id === null)
      throw new ServiceError('SVC_AUTH_IDENTITY_LINK_CONFLICT', {
        message: 'The address belongs to a user who does not have this identity.',
        nextActions: [],
      });
    return startSession(services, target, {
      userId: id,
      amr: amr === undefined || amr.length === 0 ? [provider] : [...new Set(amr)],
      provider,
      subject,
    });
  },
  wire: SessionWire,
});

/** `POST /auth/v1/sessions/end` on the API: there the session is the one of the bearer. */
export const endSession = endpoint({
  name: 'auth.endSession',
  summary: 'End the session of the access token.',
  input: z.object({}),
  admit: asUser,
  async handler({ services, target, account, session }) {
    await endSessions(services, target, { userId: account.id, only: session.id });
    return { ok: true as const };
  },
  wire: z.object({ ok: z.literal(true) }),
});

function requireProvider(provider: string): void {
  if ((providers as readonly string[]).includes(provider)) return;
  if (/^tenant:?$/.test(provider)) throw new ServiceError('SVC_AUTH_TENANT_SUFFIX_REQUIRED');
  // A realm of the project's own.
  if (/^tenant:[a-z0-9][a-z0-9-]{0,47}$/.test(provider)) return;
  const reason = `must be one of ${providers.join(', ')}, or tenant: and a realm`;
  throw new ServiceError('VALIDATION_FAILED', {
    message: `provider: ${reason}`,
    details: { field: 'provider', reason },
  });
}

function isProof(proof: unknown): boolean {
  if (typeof proof === 'string') return proof.trim() !== '';
  if (typeof proof !== 'object' || proof === null || Object.keys(proof).length === 0) return false;
  return (proof as { readonly verified?: unknown }).verified !== false;
}

type Verified = ParametersOf<typeof verified>;

/** A race of two first sign-ins of one identity: who loses finds the user there. */
async function admit(services: Services, target: ProjectTarget, given: Verified) {
  const asked = admitStatement.with(given);
  try {
    return (await authRow(services, target, asked))!;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return (await authRow(services, target, asked))!;
  }
}

const verified = {
  provider: identities.provider,
  subject: identities.providerSub,
  address: users.email,
  displayName: users.displayName,
  /** What the function said about the address; the one of the user may be made up. */
  email: identities.providerEmail,
  createUser: typed<boolean>('boolean'),
};

const admitStatement = authStatement(
  'bridge_admit',
  {
    params: verified,
    answer: jsonObject({
      outcome: computed<'known' | 'made' | 'taken' | 'unknown'>(
        'text',
        sql`case when exists (select from known) then 'known'
        when exists (select from made) then 'made' when exists (select from taken) then 'taken' else 'unknown' end`,
      ),
      id: computed<string | null>('uuid', sql`coalesce((select id from known), (select id from made))`),
    }),
  },
  ({ provider, subject, address, displayName, email, createUser }, answer) => sql`with known as (
      select ${identities.userId} as id from ${identities}
      where ${identities.provider} = ${provider} and ${identities.providerSub} = ${subject}
    ), taken as (
      select ${users.id} from ${users}
      where ${users.email} = ${address} and ${createUser}::boolean and not exists (select from known)
    ), made as (
      ${insertSelect(
        users,
        { email: address, displayName },
        sql`where ${createUser}::boolean and not exists (select from known) and not exists (select from taken)`,
      )}
      returning ${users.id}
    ), linked as (
      ${insertSelect(
        identities,
        { provider, providerSub: subject, userId: sql`made.id`, providerEmail: email },
        sql`from made`,
      )}
    )
    select ${answer}`,
);
