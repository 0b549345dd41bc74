import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { sessions } from '../../db/schema/identity.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import type { SessionCaller } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { accessSeconds, readSessionToken, type SessionKind, sessionTypOf } from '../identity/shared/session-token.ts';
import { membershipsStatement } from '../orgs/shared/memberships.ts';
import type { MembershipRow } from '../orgs/shared/wire.ts';
import { MembershipWire, membershipToWire } from '../orgs/shared/wire.ts';
import { inSession } from './session-scope.ts';
import { bearerOf } from './shared/sessions.ts';

export interface OwnSession {
  readonly session: SessionCaller;
  readonly memberships: readonly MembershipRow[];
}

/** `GET /agent/v1/control-plane/session`. Contract 01, section 5.14. */
export const getSession = query({
  name: 'session.get',
  summary: 'The person behind a session, where it belongs, and what it has proven when.',
  access: inSession('control_plane'),
  input: z.object({}),
  async handler({ session, services }): Promise<OwnSession> {
    return {
      session,
      memberships: await services.db.rows(membershipsStatement.with({ principalId: session.principal.id })),
    };
  },
  wire: z.object({
    principal: z.object({
      id: z.string(),
      type: z.enum(['human', 'agent', 'ci']),
      display_name: z.string().nullable(),
      created_at: z.iso.datetime(),
      disabled_at: z.null(),
    }),
    memberships: z.array(MembershipWire),
    email: z.string().nullable(),
    provenance: z.string(),
    amr: z.array(z.string()),
    amr_times: z.record(z.string(), z.number()),
    expires_at: z.iso.datetime(),
  }),
  toWire: ({ session, memberships }) => ({
    principal: {
      id: session.principal.id,
      type: session.principal.type,
      display_name: session.principal.displayName,
      created_at: session.principal.createdAt.toISOString(),
      // A disabled principal never gets this far.
      disabled_at: null,
    },
    memberships: memberships.map(membershipToWire),
    email: session.email,
    provenance: session.provenance,
    amr: Object.keys(session.amrTimes),
    amr_times: { ...session.amrTimes },
    expires_at: session.expiresAt.toISOString(),
  }),
});

/**
 * Another bearer of the same session, for a bearer alone: what lives in a cookie that no script can read does not leave
 * its browser.
 *
 * @throws AUTH_REQUIRED
 */
const renewed = async (ctx: Context, session: SessionCaller): Promise<string> => {
  if (ctx.credentials.authorization === undefined)
    throw new ServiceError('AUTH_REQUIRED', { message: 'A bearer is given for a bearer, and for no cookie.' });
  const { kind, sessionId: id, email, provenance, amrTimes } = session;
  return bearerOf(ctx, { id, kind, principalId: session.principal.id, email, provenance, amrTimes });
};

const bearerWire = { token_type: z.literal('Bearer'), expires_in: z.int() };

/** `POST /agent/v1/control-plane/session/refresh`. The bearer that asks stays good until its own end. */
export const refreshSession = query({
  name: 'session.refresh',
  summary: 'Give a person’s session another bearer, until twelve hours after its sign-in or half an hour without use.',
  access: inSession('control_plane'),
  input: z.object({}),
  handler: (ctx) => renewed(ctx, ctx.session),
  wire: z.object({ control_plane_session_token: z.string(), ...bearerWire }),
  toWire: (token) => ({
    control_plane_session_token: token,
    token_type: 'Bearer' as const,
    expires_in: accessSeconds.control_plane,
  }),
});

/** `POST /agent/v1/operator/session/refresh`. Contract 01, section 5.13. */
export const refreshOperatorSession = query({
  name: 'operator.refreshSession',
  summary:
    'Give an operator’s session another bearer, until twelve hours after its sign-in or half an hour without use.',
  access: inSession('operator'),
  input: z.object({}),
  handler: (ctx) => renewed(ctx, ctx.session),
  wire: z.object({ operator_session_token: z.string(), ...bearerWire }),
  toWire: (token) => ({
    operator_session_token: token,
    token_type: 'Bearer' as const,
    expires_in: accessSeconds.operator,
  }),
});

const end = (kind: SessionKind) =>
  mutation({
    name: kind === 'operator' ? 'operator.revokeSession' : 'session.revoke',
    summary:
      kind === 'operator'
        ? 'End an operator’s session; one that has ended stays so.'
        : 'End a person’s session, and with it the write approvals that it asked for.',
    // The bearer itself says whose session it is, also when that has ended.
    access: anyone(),
    input: z.object({
      authorization: z.string().max(8_300).optional().meta({ secret: true }).describe('The header `Authorization`.'),
    }),
    async handler(work, { authorization }): Promise<{ id: string; ended: boolean }> {
      const bearer = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
      if (bearer === undefined) throw new ServiceError('AUTH_REQUIRED');
      const token = await readSessionToken(work.services.keys, bearer, sessionTypOf(kind), work.services.now());
      if (token === undefined)
        throw new ServiceError(kind === 'operator' ? 'OPERATOR_SESSION_INVALID' : 'INVALID_AUTH');
      return { id: token.sessionId, ended: await endSession(work, token.sessionId) };
    },
    audit: ({ id, ended }) =>
      ended ? { action: 'session.revoked', object: { kind: 'session', id }, details: { kind } } : undefined,
    wire: z.object({ status: z.literal('revoked') }),
    toWire: () => ({ status: 'revoked' as const }),
  });

/** `POST /agent/v1/control-plane/session/revoke`. */
export const revokeSession = end('control_plane');

/** `POST /agent/v1/operator/session/revoke`: idempotent. */
export const revokeOperatorSession = end('operator');

/** Ends a session, and whatever is open by it. @returns whether it had not ended before */
export async function endSession(work: Work, sessionId: string): Promise<boolean> {
  const [ended] = await work.rows(endStatement.with({ id: sessionId }));
  if (ended === undefined) return false;
  work.authorityChanged(ended.principalId);
  return true;
}

const endStatement = statement(
  'session.end',
  { params: pick(sessions, 'id'), row: pick(sessions, 'principalId') },
  (
    { id },
    row,
  ) => sql`update ${sessions} ${setOf(sessions, { revokedAt: sql`clock_timestamp()`, secretHash: sql`null` })}
    where ${sessions.id} = ${id} and ${sessions.revokedAt} is null returning ${row}`,
);
