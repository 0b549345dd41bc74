import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { sameSecret, sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { principals, sessions } from '../../db/schema/identity.ts';
import { loopbackFlows } from '../../db/schema/sign-in-flows.ts';
import { computed, insertInto, pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { peopleThrottles, signInMinutes } from '../../kernel/limits/limits.ts';
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
  prepare: (ctx) => countOfNetwork(ctx, peopleThrottles.flowOfNetwork, 'loopback'),
  async handler(work, { redirect_uri, code_challenge, state, nonce }): Promise<{ id: string }> {
    const id = randomUUID();
    const flow = {
      id,
      redirectUri: loopbackUri(redirect_uri),
      codeChallenge: code_challenge,
      state,
      nonce: nonce ?? null,
    };
    await work.rows(beginStatement.with({ ...flow, minutes: signInMinutes.flow }));
    return { id };
  },
  audit: () => undefined,
  wire: z.object({ flow_id: z.string() }),
  toWire: ({ id }) => ({ flow_id: id }),
});

/** `GET /agent/v1/control-plane/cli/authorize/:flow_id`, for a person who is signed in with the browser. Contract 01, 5.14. */
export const getLoopback = query({
  name: 'cli.get',
  summary: 'What a command line that waits for its sign-in asked for.',
  access: inSession('control_plane'),
  input: z.object({ flow_id: z.string().max(64).describe('The sign-in.') }),
  async handler({ services }, { flow_id }): Promise<Flow> {
    const [flow] = isUuid(flow_id) ? await services.db.rows(findStatement.with({ id: flow_id })) : [];
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
    const approval = {
      id: flow_id,
      principalId: session.principal.id,
      email: session.email,
      amrTimes: JSON.stringify({ passkey: session.amrTimes.passkey }),
      codeHash: sha256Hex(code),
      minutes: signInMinutes.code,
      sessionId: session.sessionId,
    };
    const [approved] = isUuid(flow_id) ? await work.rows(approveStatement.with(approval)) : [];
    if (approved !== undefined)
      return { id: flow_id, redirectUrl: loopbackWith(approved.redirectUri, { code, state: approved.state }) };
    const [known] = isUuid(flow_id) ? await work.rows(findStatement.with({ id: flow_id })) : [];
    throw new ServiceError(known === undefined ? 'FLOW_NOT_FOUND' : 'FLOW_NOT_PENDING');
  },
  audit: ({ id }) => ({ action: 'cli.approved', object: { kind: 'sign_in', id } }),
  wire: z.object({ redirect_url: z.string().meta({ secret: true }) }),
  toWire: ({ redirectUrl }) => ({ redirect_url: redirectUrl }),
});

type Redeemed = RowOf<typeof redeemedRow>;

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
    await countOfNetwork(ctx, peopleThrottles.codeOfNetwork, 'loopback-code');
    if (redirect_uri !== undefined) loopbackUri(redirect_uri);
    // Outside the transaction: a code that came with a wrong verifier is void, since a stranger has it.
    const [redeemed] = await ctx.services.db.rows(redeemStatement.with({ codeHash: sha256Hex(code) }));
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

const columns = {
  ...pick(loopbackFlows, 'id', 'redirectUri', 'state', 'expiresAt'),
  approved: computed<boolean>('boolean', sql`${loopbackFlows.codeHash} is not null`),
};

const beginStatement = statement(
  'loopback.begin',
  {
    params: {
      ...pick(loopbackFlows, 'id', 'redirectUri', 'codeChallenge', 'state', 'nonce'),
      minutes: typed<number>('integer'),
    },
  },
  ({ minutes, ...given }) =>
    insertInto(loopbackFlows, {
      ...given,
      createdAt: sql`clock_timestamp()`,
      expiresAt: sql`clock_timestamp() + make_interval(mins => ${minutes})`,
    }),
);

const findStatement = statement(
  'loopback.find',
  { params: pick(loopbackFlows, 'id'), row: columns },
  ({ id }, row) => sql`select ${row} from ${loopbackFlows}
    where ${loopbackFlows.id} = ${id} and ${loopbackFlows.expiresAt} > clock_timestamp()`,
);

const approveStatement = statement(
  'loopback.approve',
  {
    params: {
      ...pick(loopbackFlows, 'id', 'principalId', 'email', 'amrTimes', 'codeHash'),
      minutes: typed<number>('integer'),
      sessionId: sessions.id,
    },
    row: columns,
  },
  ({ id, principalId, email, amrTimes, codeHash, minutes, sessionId }, row) =>
    sql`update ${loopbackFlows} ${setOf(loopbackFlows, {
      principalId,
      email,
      amrTimes: sql`${amrTimes}::jsonb`,
      codeHash,
      codeExpiresAt: sql`clock_timestamp() + make_interval(mins => ${minutes})`,
      provenBy: sql`(select ${sessions.provenBy} from ${sessions} where ${sessions.id} = ${sessionId})`,
    })} where ${loopbackFlows.id} = ${id} and ${loopbackFlows.codeHash} is null
      and ${loopbackFlows.expiresAt} > clock_timestamp() returning ${row}`,
);

const redeemedRow = {
  ...pick(loopbackFlows, 'email', 'provenBy', 'codeChallenge', 'redirectUri', 'state'),
  // A flow that was approved has both.
  principalId: computed<string>('text', sql`${loopbackFlows.principalId}`),
  amrTimes: computed<Record<string, number>>('jsonb', sql`${loopbackFlows.amrTimes}`),
};

const redeemStatement = statement(
  'loopback.redeem',
  { params: { codeHash: typed<string>('text') }, row: redeemedRow },
  ({ codeHash }, row) => sql`update ${loopbackFlows} ${setOf(loopbackFlows, { redeemedAt: sql`clock_timestamp()` })}
    from ${principals} where ${loopbackFlows.codeHash} = ${codeHash} and ${loopbackFlows.redeemedAt} is null
      and ${loopbackFlows.codeExpiresAt} > clock_timestamp() and ${principals.id} = ${loopbackFlows.principalId}
      and ${principals.disabledAt} is null
    returning ${row}`,
);
