import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { chatBindings } from '../../../db/schema/notices.ts';
import { operatorContacts } from '../../../db/schema/operator-contacts.ts';
import { computed, pick, type RowOf, statement } from '../../../db/sql.ts';

export const bindingColumns = {
  ...pick(
    chatBindings,
    'id',
    'kind',
    'status',
    'chatId',
    'chatType',
    'chatTitle',
    'label',
    'consecutiveFailures',
    'disabledAt',
    'codeExpiresAt',
    'createdAt',
    'activatedAt',
  ),
  recipientEmail: computed<string | null>(
    'text',
    sql`(select ${operatorContacts.email} from ${operatorContacts}
      where ${operatorContacts.principalId} = ${chatBindings.principalId} and ${operatorContacts.emailVerifiedAt} is not null)`,
  ),
};

/** A chat that somebody has notices told in. */
export type ChatBinding = RowOf<typeof bindingColumns>;

/** Contract 02, section 5.3. */
export const ChatBindingWire = z
  .object({
    id: z.uuid(),
    recipient_email: z.string().nullable(),
    status: z.enum(['pending', 'active', 'revoked']),
    chat_id: z.int().nullable(),
    chat_type: z.string().nullable(),
    chat_title: z.string().nullable(),
    label: z.string().nullable(),
    consecutive_failures: z.int(),
    disabled_at: z.iso.datetime().nullable(),
    code_expires_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    activated_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ChatBinding' });

export const bindingToWire = (binding: ChatBinding): z.output<typeof ChatBindingWire> => ({
  id: binding.id,
  recipient_email: binding.recipientEmail,
  status: binding.status,
  chat_id: binding.chatId === null ? null : Number(binding.chatId),
  chat_type: binding.chatType,
  chat_title: binding.chatTitle,
  label: binding.label,
  consecutive_failures: binding.consecutiveFailures,
  disabled_at: binding.disabledAt?.toISOString() ?? null,
  code_expires_at: codeEndOf(binding)?.toISOString() ?? null,
  created_at: binding.createdAt.toISOString(),
  activated_at: binding.activatedAt?.toISOString() ?? null,
});

/** Until when it can be connected; null once it is. */
export const codeEndOf = ({ status, codeExpiresAt }: ChatBinding): Date | null =>
  status === 'pending' ? codeExpiresAt : null;

/** Those of a principal that are not revoked, newest first. */
export const bindingsOf = statement(
  'notices.bindings',
  { params: pick(chatBindings, 'principalId'), row: bindingColumns },
  ({ principalId }, row) => sql`select ${row} from ${chatBindings}
    where ${chatBindings.principalId} = ${principalId} and ${chatBindings.status} <> 'revoked'
      and (${chatBindings.status} <> 'pending' or ${chatBindings.codeExpiresAt} > now())
    order by ${chatBindings.createdAt} desc, ${chatBindings.id}`,
);
