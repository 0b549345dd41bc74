import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { sessions } from '../../db/schema/identity.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { sessionIdleMinutes, sessionStands } from '../identity/shared/session-stands.ts';
import type { SessionKind } from '../identity/shared/session-token.ts';
import { voidUnfetched } from './end-what-rests.ts';
import { endSession } from './own-session.ts';
import { inSession } from './session-scope.ts';

/** A session of a person, as that person sees it. */
export interface ShownSession {
  readonly id: string;
  readonly kind: SessionKind;
  readonly provenance: string;
  readonly amrTimes: Readonly<Record<string, number>>;
  readonly client: string | null;
  readonly beganAt: Date;
  readonly lastUsedAt: Date;
  readonly absoluteExpiresAt: Date;
  /** Whether it is the one that asks. */
  readonly current: boolean;
}

/** `GET /agent/v1/control-plane/sessions`. Beside contract 01, section 5.14. */
export const listSessions = query({
  name: 'sessions.list',
  summary: 'The sessions that a person has open, wherever they are used from.',
  access: inSession('control_plane'),
  input: z.object({}),
  async handler({ session, services }): Promise<ShownSession[]> {
    const open = await services.db.rows(listStatement.with({ principalId: session.principal.id }));
    return open.map((one) => ({ ...one, current: one.id === session.sessionId }));
  },
  wire: z.object({
    sessions: z.array(
      z.object({
        session_id: z.string(),
        kind: z.enum(['control_plane', 'operator']),
        provenance: z.string(),
        amr: z.array(z.string()),
        client: z.string().nullable(),
        began_at: z.iso.datetime(),
        last_used_at: z.iso.datetime(),
        idle_expires_at: z.iso.datetime(),
        absolute_expires_at: z.iso.datetime(),
        current: z.boolean(),
      }),
    ),
  }),
  toWire: (rows) => ({
    sessions: rows.map(
      ({ id, kind, provenance, amrTimes, client, beganAt, lastUsedAt, absoluteExpiresAt, current }) => ({
        session_id: id,
        kind,
        provenance,
        amr: Object.keys(amrTimes),
        client,
        began_at: beganAt.toISOString(),
        last_used_at: lastUsedAt.toISOString(),
        idle_expires_at: new Date(
          Math.min(lastUsedAt.getTime() + sessionIdleMinutes * 60_000, absoluteExpiresAt.getTime()),
        ).toISOString(),
        absolute_expires_at: absoluteExpiresAt.toISOString(),
        current,
      }),
    ),
  }),
});

/** `POST /agent/v1/control-plane/sessions/:id/revoke`. */
export const endOneSession = mutation({
  name: 'sessions.end',
  summary:
    'End one session of a person, with its approvals, whatever is open by it, and sign-ins nobody has fetched yet.',
  access: inSession('control_plane'),
  input: z.object({ id: z.string().max(64).describe('The session.') }),
  async handler(work, { id }): Promise<{ id: string }> {
    const [own] = await work.rows(ownStatement.with({ principalId: work.session.principal.id, id }));
    if (own === undefined || !(await endSession(work, id)))
      throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such session.' });
    await voidUnfetched(work, work.session.principal.id);
    return { id };
  },
  audit: ({ id }) => ({ action: 'session.revoked', object: { kind: 'session', id } }),
  wire: z.object({ session_id: z.string(), revoked: z.literal(true) }),
  toWire: ({ id }) => ({ session_id: id, revoked: true as const }),
});

/** `POST /agent/v1/control-plane/sessions/revoke-others`. */
export const endOtherSessions = mutation({
  name: 'sessions.endOthers',
  summary: 'End all sessions of a person but the one that asks, and sign-ins nobody has fetched yet.',
  credentialBound: true,
  access: inSession('control_plane'),
  input: z.object({}),
  async handler(work): Promise<{ principalId: string; count: number }> {
    const { principal, sessionId } = work.session;
    const ended = await work.rows(endOthersStatement.with({ principalId: principal.id, id: sessionId }));
    await voidUnfetched(work, principal.id);
    if (ended.length > 0) work.authorityChanged(principal.id);
    return { principalId: principal.id, count: ended.length };
  },
  audit: ({ principalId, count }) =>
    count === 0
      ? undefined
      : { action: 'session.others_revoked', object: { kind: 'principal', id: principalId }, details: { count } },
  wire: z.object({ revoked_count: z.int() }),
  toWire: ({ count }) => ({ revoked_count: count }),
});

const own = pick(sessions, 'principalId', 'id');

const listStatement = statement(
  'sessions.list',
  {
    params: pick(sessions, 'principalId'),
    row: {
      ...pick(sessions, 'id', 'kind', 'provenance', 'amrTimes', 'client', 'lastUsedAt', 'absoluteExpiresAt'),
      beganAt: sessions.createdAt,
    },
  },
  ({ principalId }, row) => sql`select ${row} from ${sessions}
    where ${sessions.principalId} = ${principalId} and ${sessionStands()}
    order by ${sessions.lastUsedAt} desc, ${sessions.id} limit 200`,
);

const ownStatement = statement(
  'sessions.own',
  { params: own, row: pick(sessions, 'id') },
  ({ principalId, id }, row) => sql`select ${row} from ${sessions}
    where ${sessions.principalId} = ${principalId} and ${sessions.id} = ${id} and ${sessionStands()}`,
);

const endOthersStatement = statement(
  'sessions.end-others',
  { params: own, row: pick(sessions, 'id') },
  ({ principalId, id }, row) =>
    sql`update ${sessions} ${setOf(sessions, { revokedAt: sql`clock_timestamp()`, secretHash: sql`null` })}
      where ${sessions.principalId} = ${principalId} and ${sessions.id} <> ${id} and ${sessionStands()} returning ${row}`,
);
