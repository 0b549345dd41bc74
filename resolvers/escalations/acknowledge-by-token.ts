import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { escalationContacts, escalationPages } from '../../db/schema/escalations.ts';
import { pick, statement } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { acknowledge } from './answer.ts';
import type { Answered } from './wire.ts';

/** `POST /escalations/v1/ack`. Contract 02, section 3.4. */
export const acknowledgeByToken = mutation({
  name: 'escalations.acknowledgeByToken',
  tool: 'ack_escalation_by_token',
  command: 'escalations ack-by-token',
  effects: ['idempotent'],
  summary: 'Say by the link of a page that one is looking at it. It only acknowledges.',
  access: anyone(),
  input: z.object({
    token: z.string().min(1).max(256).meta({ secret: true }).describe('What the link of the page brought along.'),
  }),
  async handler(work, { token }): Promise<Answered> {
    const [page] = await work.rows(pageStatement.with({ tokenHash: sha256Hex(token) }));
    if (page === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'This link is good no more.' });
    return acknowledge(work, page.orgId, page.escalationId, { email: page.email, via: 'token' });
  },
  audit: ({ escalation, changed }) =>
    changed
      ? {
          action: 'escalation.acknowledged',
          object: { kind: 'escalation', id: escalation.id },
          orgId: escalation.orgId,
          details: { channel: 'token', by_email: escalation.acknowledgedByEmail },
        }
      : undefined,
  wire: z.object({
    escalation_id: z.uuid(),
    status: z.enum(['acknowledged', 'resolved']),
    acknowledged_at: z.iso.datetime().nullable(),
    changed: z.boolean(),
    reason: z.string(),
  }),
  toWire: ({ escalation: { id, status, acknowledgedAt, reason }, changed }) => ({
    escalation_id: id,
    status: status === 'resolved' ? ('resolved' as const) : ('acknowledged' as const),
    acknowledged_at: acknowledgedAt?.toISOString() ?? null,
    changed,
    reason,
  }),
});

// The links of a contact that was taken off the list open nothing any more.
const pageStatement = statement(
  'escalations.page-of-token',
  { params: pick(escalationPages, 'tokenHash'), row: pick(escalationPages, 'orgId', 'escalationId', 'email') },
  ({ tokenHash }, row) => sql`select ${row} from ${escalationPages}
    join ${escalationContacts} on ${escalationContacts.orgId} = ${escalationPages.orgId}
      and ${escalationContacts.id} = ${escalationPages.contactId}
    where ${escalationPages.tokenHash} = ${tokenHash} and ${escalationPages.tokenExpiresAt} > now()`,
);
