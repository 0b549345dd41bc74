import { z } from 'zod';
import { signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { emailStateOf, findContact } from '../operator-contact/shared/contact.ts';
import { bindingsOf, bindingToWire, type ChatBinding, ChatBindingWire } from './chat/binding.ts';
import { findPreferences } from './preferences.ts';

export interface NoticeChannels {
  readonly email: string | null;
  readonly isVerified: boolean;
  readonly webhookUrl: string | null;
  readonly isSigned: boolean;
  readonly chats: readonly ChatBinding[];
}

/** `GET /agent/v1/notifications/channels`. Contract 02, section 5.3. */
export const listNoticeChannels = query({
  name: 'notices.listChannels',
  tool: 'list_notification_channels',
  command: 'contacts channels',
  summary: 'By what the caller’s operator can be told: mail, a signed webhook, chats.',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({}),
  async handler(ctx): Promise<NoticeChannels> {
    const { db } = ctx.services;
    const { id } = ctx.principal.principal;
    const [contact, wanted, chats] = await Promise.all([
      findContact(db, id),
      findPreferences(db.rows, id),
      db.rows(bindingsOf.with({ principalId: id })),
    ]);
    // Who signed in by an address reads it.
    const own = ctx.principal.kind === 'operator' ? ctx.principal.email : null;
    return {
      email: contact?.email ?? own,
      isVerified: contact?.email == null ? own !== null : emailStateOf(contact) === 'verified',
      webhookUrl: wanted.webhookUrl,
      isSigned: wanted.isSigned,
      chats,
    };
  },
  wire: z.object({
    email: z.object({ address: z.string().nullable(), verified: z.boolean() }),
    webhook: z.object({ configured: z.boolean(), url: z.string().nullable(), secret_configured: z.boolean() }),
    chat: z.array(ChatBindingWire),
  }),
  toWire: ({ email, isVerified, webhookUrl, isSigned, chats }) => ({
    email: { address: email, verified: isVerified },
    webhook: { configured: webhookUrl !== null, url: webhookUrl, secret_configured: isSigned },
    chat: chats.map(bindingToWire),
  }),
});
