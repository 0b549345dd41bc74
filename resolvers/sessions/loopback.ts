import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { sameSecret, sha256Hex } from '../../core/keys.ts';
import type { Statement } from '../../db/pool.ts';
import { anyone } from '../../kernel/access/access.ts';
import { ceremonyMinutes, ceremonyThrottles } from '../../kernel/limits/limits.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { inSession } from './session-scope.ts';
import {
  ControlPlaneTokenWire,
  controlPlaneTokenToWire,
  type MintedSession,
  mintSession,
  sessionBegun,
} from './shared/sessions.ts';
import { countOfNetwork } from './tries.ts';

/**
 * An address of the machine that the browser runs on, where a command line waits: any port, the path `/callback`, and
 * nothing else. RFC 8252, section 7.3.
 *
 * @throws INVALID_REDIRECT_URI
 */
export function loopbackUri(given: string): string {
  const match = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?\/callback$/.exec(given);
  if (match === null || Number(match[2] ?? 80) > 65_535 || Number(match[2] ?? 80) === 0)
    throw new ServiceError('INVALID_REDIRECT_URI');
  return given;
}

/** A loopback address with what the browser brings there. */
export const loopbackWith = (uri: string, values: Readonly<Record<string, string>>): string => {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url.href;
};

/** A challenge of PKCE: the SHA-256 of the verifier, in base64url. */
export const pkceChallenge = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 in base64url')
  .describe('SHA-256 of the verifier, in base64url.');

export const pkceVerifier = z
  .string()
  .min(1)
  .max(128)
  .meta({ secret: true })
  .describe('What the challenge is the SHA-256 of.');

export const clientState = z.string().min(1).max(512).describe('Given back to the client as it is.');

/** Whether a verifier belongs to a challenge. */
export const verifies = (verifier: string, challenge: string): boolean =>
  sameSecret(createHash('sha256').update(verifier).digest('base64url'), challenge);

/** A code that a browser carries to the client: good once, with the verifier alone. */
export const newCarriedCode = (): string => randomBytes(32).toString('base64url');

interface Flow {
  readonly id: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly approved: boolean;
  readonly expiresAt: Date;
}

/** What `GET /agent/v1/control-plane/cli/authorize` does before it shows its page. Contract 04, section 3.7. */
export const beginLoopback = mutation({
  name: 'cli.begin',
  summary: 'Begin the sign-in of a command line by the browser of its person.',
  access: anyone(),
  input: z.object({
    redirect_uri: z.string().max(256).describe('Where the client waits: http://127.0.0.1:PORT/callback.'),
    code_challenge: pkceChallenge,
    code_challenge_method: z.literal('S256', 'must be S256').describe('The only one.'),
    state: clientState,
    nonce: z.string().max(512).optional().describe('Kept with the sign-in.'),
  }),
  prepare: (ctx) => countOfNetwork(ctx, ceremonyThrottles.flowOfNetwork, 'loopback'),
  async handler(work, { redirect_uri, code_challenge, state, nonce }): Promise<{ id: string }> {
    const id = randomUUID();
    const values = [id, loopbackUri(redirect_uri), code_challenge, state, nonce ?? null, ceremonyMinutes.flow];
    await work.rows(beginStatement, values);
    return { id };
  },
  audit: () => undefined,
  wire: z.object({ flow_id: z.string() }),
  toWire: ({ id }) => ({ flow_id: id }),
});

/** `GET /agent/v1/control-plane/cli/authorize/:flow_id`, for who is signed in with the browser. Contract 01, 5.14. */
export const getLoopback = query({
  name: 'cli.get',
  summary: 'What a command line that waits for its sign-in asked for.',
  access: inSession('control_plane'),
  input: z.object({ flow_id: z.string().max(64).describe('The sign-in.') }),
  async handler({ services }, { flow_id }): Promise<Flow> {
    const [flow] = isUuid(flow_id) ? await services.db.rows<Flow>(findStatement, [flow_id]) : [];
    if (flow === undefined) throw new ServiceError('FLOW_NOT_FOUND');
    return flow;
  },
  wire: z.object({
    flow_id: z.string(),
    redirect_uri: z.string(),
    status: z.enum(['pending', 'approved']),
    expires_at: z.iso.datetime(),
  }),
  toWire: ({ id, redirectUri, approved, expiresAt }) => ({
    flow_id: id,
    redirect_uri: redirectUri,
    status: approved ? ('approved' as const) : ('pending' as const),
    expires_at: expiresAt.toISOString(),
  }),
});

/** `POST /agent/v1/control-plane/cli/approve`: with a passkey of the last five minutes. */
export const approveLoopback = mutation({
  name: 'cli.approve',
  summary: 'Let a command line that waits sign in as the person of this session.',
  credentialBound: true,
  access: inSession('control_plane'),
  stepUp: 'cli.authorize',
  input: z.object({ flow_id: z.string().max(64).describe('The sign-in.') }),
  async handler(work, { flow_id }): Promise<{ id: string; redirectUrl: string }> {
    const { session } = work;
    const code = newCarriedCode();
    const proven = JSON.stringify({ passkey: session.amrTimes.passkey });
    const values = [flow_id, session.principal.id, session.email, proven, sha256Hex(code), ceremonyMinutes.code];
    const [approved] = isUuid(flow_id)
      ? await work.rows<Pick<Flow, 'redirectUri' | 'state'>>(approveStatement, [...values, session.sessionId])
      : [];
    if (approved !== undefined)
      return { id: flow_id, redirectUrl: loopbackWith(approved.redirectUri, { code, state: approved.state }) };
    const [known] = isUuid(flow_id) ? await work.rows(findStatement, [flow_id]) : [];
    throw new ServiceError(known === undefined ? 'FLOW_NOT_FOUND' : 'FLOW_NOT_PENDING');
  },
  audit: ({ id }) => ({ action: 'cli.approved', object: { kind: 'sign_in', id } }),
  wire: z.object({ redirect_url: z.string().meta({ secret: true }) }),
  toWire: ({ redirectUrl }) => ({ redirect_url: redirectUrl }),
});

interface Redeemed {
  readonly principalId: string;
  readonly email: string | null;
  readonly amrTimes: Record<string, number>;
  readonly provenBy: string[] | null;
  readonly codeChallenge: string;
  readonly redirectUri: string;
  readonly state: string;
}

/** `POST /agent/v1/control-plane/cli/token`: the code is good once, whatever else the request says. */
export const loopbackToken = mutation({
  name: 'cli.token',
  summary: 'Trade the code that a browser brought, and its verifier, for a person’s session.',
  credentialBound: true,
  access: anyone(),
  input: z.object({
    code: z.string().min(1).max(256).meta({ secret: true }).describe('The code.'),
    code_verifier: pkceVerifier,
    redirect_uri: z.string().max(256).optional().describe('The address it was brought to.'),
    state: z.string().max(512).optional().describe('The state it came with.'),
  }),
  async prepare(ctx, { code, code_verifier, redirect_uri, state }): Promise<Redeemed> {
    await countOfNetwork(ctx, ceremonyThrottles.codeOfNetwork, 'loopback-code');
    if (redirect_uri !== undefined) loopbackUri(redirect_uri);
    // Outside the transaction: a code that came with the wrong verifier is good no more, since somebody else has it.
    const [redeemed] = await ctx.services.db.rows<Redeemed>(redeemStatement, [sha256Hex(code)]);
    if (redeemed === undefined) throw new ServiceError('INVALID_GRANT');
    if (!verifies(code_verifier, redeemed.codeChallenge)) throw new ServiceError('INVALID_PKCE');
    if (redirect_uri !== undefined && redirect_uri !== redeemed.redirectUri)
      throw new ServiceError('INVALID_REDIRECT_URI');
    if (state !== undefined && state !== redeemed.state) throw new ServiceError('INVALID_GRANT');
    return redeemed;
  },
  handler: (work, _input, { amrTimes: proven, principalId, email, provenBy }: Redeemed): Promise<MintedSession> =>
    mintSession(work, {
      kind: 'control_plane',
      principalId,
      email,
      provenance: 'loopback_pkce',
      proven,
      provenBy,
      client: 'Command line',
    }),
  audit: sessionBegun,
  wire: ControlPlaneTokenWire,
  toWire: controlPlaneTokenToWire,
});

const columns = `id, redirect_uri as "redirectUri", state, code_hash is not null as approved, expires_at as "expiresAt"`;

const beginStatement: Statement = {
  name: 'loopback.begin',
  text: `insert into loopback_flows (id, redirect_uri, code_challenge, state, nonce, created_at, expires_at)
    values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp() + make_interval(mins => $6))`,
};

const findStatement: Statement = {
  name: 'loopback.find',
  text: `select ${columns} from loopback_flows where id = $1::uuid and expires_at > clock_timestamp()`,
};

const approveStatement: Statement = {
  name: 'loopback.approve',
  text: `update loopback_flows set principal_id = $2, email = $3, amr_times = $4::jsonb, code_hash = $5,
      code_expires_at = clock_timestamp() + make_interval(mins => $6),
      proven_by = (select s.proven_by from sessions s where s.id = $7)
    where id = $1::uuid and code_hash is null and expires_at > clock_timestamp() returning ${columns}`,
};

const redeemStatement: Statement = {
  name: 'loopback.redeem',
  text: `update loopback_flows f set redeemed_at = clock_timestamp() from principals p
    where f.code_hash = $1 and f.redeemed_at is null and f.code_expires_at > clock_timestamp()
      and p.id = f.principal_id and p.disabled_at is null
    returning f.principal_id as "principalId", f.email, f.amr_times as "amrTimes", f.proven_by as "provenBy", f.code_challenge as "codeChallenge",
      f.redirect_uri as "redirectUri", f.state`,
};
