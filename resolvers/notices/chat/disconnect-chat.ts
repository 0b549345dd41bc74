import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { chatBindings, noticeRules } from '../../../db/schema/notices.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import { signedIn } from '../../../kernel/access/access.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { requirePasskey } from '../../operator-contact/shared/require-passkey.ts';

/** `DELETE /agent/v1/notifications/channels/chat/:binding_id`. Contract 02, section 5.3. */
export const disconnectChat = mutation({
  name: 'notices.disconnectChat',
  tool: 'disconnect_chat_channel',
  command: 'contacts disconnect',
  effects: ['destructive', 'idempotent'],
  summary: 'Disconnect a chat. Its rules end with it.',
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'operator.contact',
  input: z.object({ binding: z.uuid('must be the id of a chat (a UUID)').describe('The chat, a UUID.') }),
  async handler(work, { binding: id }): Promise<{ readonly id: string }> {
    const { principalId } = await requirePasskey(work);
    const [revoked] = await work.rows(revokeStatement.with({ id, principalId }));
    if (revoked === undefined)
      throw new ServiceError('RESOURCE_NOT_FOUND', { details: { resource: 'chat_binding', binding_id: id } });
    await work.rows(forgetRulesStatement.with({ bindingId: id }));
    return revoked;
  },
  audit: ({ id }) => ({ action: 'notices.chat_disconnected', object: { kind: 'chat_binding', id } }),
  wire: z.object({ status: z.literal('revoked'), binding_id: z.uuid() }),
  toWire: ({ id }) => ({ status: 'revoked' as const, binding_id: id }),
});

const revokeStatement = statement(
  'notices.revoke-binding',
  { params: pick(chatBindings, 'id', 'principalId'), row: pick(chatBindings, 'id') },
  ({ id, principalId }, row) => sql`update ${chatBindings} ${setOf(chatBindings, {
    status: sql`'revoked'`,
    revokedAt: sql`now()`,
    codeHash: sql`null`,
    sealedUrl: sql`null`,
  })} where ${chatBindings.id} = ${id} and ${chatBindings.principalId} = ${principalId}
      and ${chatBindings.status} <> 'revoked' returning ${row}`,
);

const forgetRulesStatement = statement(
  'notices.forget-rules',
  { params: pick(noticeRules, 'bindingId') },
  ({ bindingId }) => sql`delete from ${noticeRules} where ${noticeRules.bindingId} = ${bindingId}`,
);
