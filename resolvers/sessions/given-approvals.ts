import { alias } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import { sessions } from '../../db/schema/identity.ts';
import { textOf } from '../../db/sql.ts';
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
    services.db.rows<ShownApproval>(listStatement, [session.principal.id, approvalMinutes.idle]),
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
    const [revoked] = await work.rows(revokeStatement, [work.session.principal.id, id]);
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
    return { principalId, count: (await work.rows(revokeStatement, [principalId, null])).length };
  },
  audit: ({ principalId, count }) =>
    count === 0
      ? undefined
      : { action: 'write_approval.all_revoked', object: { kind: 'principal', id: principalId }, details: { count } },
  wire: z.object({ revoked_count: z.int() }),
  toWire: ({ count }) => ({ revoked_count: count }),
});

const listStatement: Statement = {
  name: 'approvals.list',
  text: `select w.id, w.action, w.target_id as "targetId", w.created_at as "createdAt",
      least(w.absolute_expires_at, w.last_used_at + make_interval(mins => $2)) as "expiresAt",
      w.absolute_expires_at as "absoluteExpiresAt"
    from write_approvals w join sessions s on s.id = w.session_id
    where s.principal_id = $1 and ${textOf(sessionStands(alias(sessions, 's')))} and w.revoked_at is null and w.absolute_expires_at > now()
      and w.last_used_at > now() - make_interval(mins => $2) order by w.created_at desc, w.id`,
};

const revokeStatement: Statement = {
  name: 'approvals.revoke',
  text: `update write_approvals w set revoked_at = clock_timestamp() from sessions s
    where s.id = w.session_id and s.principal_id = $1 and ($2::text is null or w.id = $2) and w.revoked_at is null
    returning w.id`,
};
