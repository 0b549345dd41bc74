import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { sessions, writeApprovals } from '../../db/schema/identity.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { approvalMinutes } from '../../kernel/limits/limits.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { sessionStands } from '../identity/shared/session-stands.ts';
import { inSession } from './session-scope.ts';
import { type ApprovedAction, targetWire } from './write-approvals.ts';

interface ShownApproval {
  readonly id: string;
  readonly action: ApprovedAction;
  readonly targetId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly absoluteExpiresAt: Date;
}

/** `GET /agent/v1/control-plane/write-auth/sessions`. */
export const listApprovals = query({
  name: 'approvals.list',
  summary: 'The write approvals that a person’s sessions hold.',
  access: inSession('control_plane'),
  input: z.object({}),
  handler: ({ session, services }): Promise<ShownApproval[]> =>
    services.db.rows(
      listStatement.with({ principalId: session.principal.id, idleMinutes: approvalMinutes.idle }),
    ) as Promise<ShownApproval[]>,
  wire: z.object({
    sessions: z.array(
      z.object({
        write_auth_session_id: z.string(),
        action: z.string(),
        org_id: z.string().nullable(),
        project_id: z.string().nullable(),
        created_at: z.iso.datetime(),
        expires_at: z.iso.datetime(),
        absolute_expires_at: z.iso.datetime(),
      }),
    ),
  }),
  toWire: (rows) => ({
    sessions: rows.map((row) => ({
      write_auth_session_id: row.id,
      action: row.action,
      ...targetWire(row),
      created_at: row.createdAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
      absolute_expires_at: row.absoluteExpiresAt.toISOString(),
    })),
  }),
});

/** `POST /agent/v1/control-plane/write-auth/sessions/:id/revoke`. */
export const revokeApproval = mutation({
  name: 'approvals.revoke',
  summary: 'Take back one write approval of a person.',
  access: inSession('control_plane'),
  input: z.object({ id: z.string().max(64).describe('The approval.') }),
  async handler(work, { id }): Promise<{ id: string }> {
    const [revoked] = await work.rows(revokeStatement.with({ principalId: work.session.principal.id, id }));
    if (revoked === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such approval.' });
    return { id };
  },
  audit: ({ id }) => ({ action: 'write_approval.revoked', object: { kind: 'write_approval', id } }),
  wire: z.object({ write_auth_session_id: z.string(), revoked: z.literal(true) }),
  toWire: ({ id }) => ({ write_auth_session_id: id, revoked: true as const }),
});

/** `POST /agent/v1/control-plane/write-auth/sessions/revoke-all`. */
export const revokeApprovals = mutation({
  name: 'approvals.revokeAll',
  summary: 'Take back all write approvals of a person.',
  access: inSession('control_plane'),
  input: z.object({}),
  async handler(work): Promise<{ principalId: string; count: number }> {
    const principalId = work.session.principal.id;
    return { principalId, count: (await work.rows(revokeStatement.with({ principalId, id: null }))).length };
  },
  audit: ({ principalId, count }) =>
    count === 0
      ? undefined
      : { action: 'write_approval.all_revoked', object: { kind: 'principal', id: principalId }, details: { count } },
  wire: z.object({ revoked_count: z.int() }),
  toWire: ({ count }) => ({ revoked_count: count }),
});

const listStatement = statement(
  'approvals.list',
  {
    params: { principalId: sessions.principalId, idleMinutes: typed<number>('integer') },
    row: {
      ...pick(writeApprovals, 'id', 'action', 'targetId', 'createdAt', 'absoluteExpiresAt'),
      expiresAt: computed<Date>('timestamp with time zone', sql`expires.at`),
    },
  },
  ({ principalId, idleMinutes }, row) => sql`select ${row} from ${writeApprovals}
    join ${sessions} on ${sessions.id} = ${writeApprovals.sessionId}
    cross join lateral (select least(${writeApprovals.absoluteExpiresAt},
      ${writeApprovals.lastUsedAt} + make_interval(mins => ${idleMinutes})) as at) expires
    where ${sessions.principalId} = ${principalId} and ${sessionStands()} and ${writeApprovals.revokedAt} is null
      and expires.at > now()
    order by ${writeApprovals.createdAt} desc, ${writeApprovals.id}`,
);

const revokeStatement = statement(
  'approvals.revoke',
  {
    params: { principalId: sessions.principalId, id: typed<string | null>('text') },
    row: pick(writeApprovals, 'id'),
  },
  ({ principalId, id }, row) => sql`update ${writeApprovals}
    ${setOf(writeApprovals, { revokedAt: sql`clock_timestamp()` })} from ${sessions}
    where ${sessions.id} = ${writeApprovals.sessionId} and ${sessions.principalId} = ${principalId}
      and (${id}::text is null or ${writeApprovals.id} = ${id}) and ${writeApprovals.revokedAt} is null
    returning ${row}`,
);
