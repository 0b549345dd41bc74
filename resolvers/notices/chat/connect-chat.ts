import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sha256Hex } from '../../../core/keys.ts';
import { sql } from '../../../db/drizzle.ts';
import { type ChatState, chatBindings } from '../../../db/schema/notices.ts';
import { computed, insertInto, pick, statement, typed } from '../../../db/sql.ts';
import { ChatError } from '../../../engines/chat/telegram.ts';
import { signedIn } from '../../../kernel/access/access.ts';
import { oneLine } from '../../../kernel/input/fields.ts';
import { webhookUrl } from '../../../kernel/input/webhook-url.ts';
import { chatBindingsMax } from '../../../kernel/limits/limits.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { requirePasskey } from '../../operator-contact/shared/require-passkey.ts';
import { pollChatsTask } from './poll-chats.ts';

/** How long a code is good, in minutes. Contract 02, section 5.3. */
const codeMinutes = 15;

/** A chat that is connected, or that a code connects. */
export interface ConnectedChat {
  readonly id: string;
  readonly principalId: string;
  readonly status: ChatState;
  readonly label: string | null;
  /** Null for a chat that is connected already. */
  readonly code: { readonly botName: string; readonly text: string; readonly expiresAt: Date } | null;
}

/** Where somebody presses to have a person's chat, or a group, connected. */
export const connectUrls = ({ code }: ConnectedChat) =>
  code === null
    ? { own: null, group: null }
    : {
        own: `https://t.me/${code.botName}?start=${code.text}`,
        group: `https://t.me/${code.botName}?startgroup=${code.text}`,
      };

/** `POST /agent/v1/notifications/channels/chat`. Contract 02, section 5.3. */
export const connectChat = mutation({
  name: 'notices.connectChat',
  tool: 'connect_chat_channel',
  command: 'contacts connect',
  effects: ['changes', 'openWorld'],
  summary:
    'Connect a chat in which notices are told: by a link that is pressed there, or by an incoming webhook of its own.',
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'operator.contact',
  credentialBound: true,
  input: z.object({
    label: oneLine(64).min(1).optional().describe('What to call it, at most 64 characters.'),
    url: webhookUrl
      .optional()
      .describe(
        'An incoming webhook of Slack, Discord, Mattermost or the like. Absent: a chat of Telegram, by a link.',
      ),
  }),
  async prepare({ services: { telegram } }, { url }): Promise<string | undefined> {
    if (url !== undefined) return undefined;
    if (telegram === undefined) throw new ServiceError('CHAT_CHANNEL_NOT_CONFIGURED');
    try {
      return await telegram.username();
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      throw new ServiceError('CHAT_CHANNEL_NOT_CONFIGURED', {
        message: `The chat provider cannot be asked: ${error.message}`,
      });
    }
  },
  async handler(work, { label = null, url }, botName): Promise<ConnectedChat> {
    const { principalId } = await requirePasskey(work);
    const [held] = await work.rows(countStatement.with({ principalId }));
    if (held!.count >= chatBindingsMax)
      throw new ServiceError('CHAT_LIMIT_REACHED', { details: { limit: chatBindingsMax, used: held!.count } });
    const id = randomUUID();
    if (url !== undefined) {
      const sealedUrl = work.services.keys.seal('notice-secrets', Buffer.from(url), id);
      await work.rows(insertHookStatement.with({ id, principalId, label, sealedUrl, chatTitle: new URL(url).host }));
      return { id, principalId, status: 'active', label, code: null };
    }
    const text = randomBytes(24).toString('base64url');
    const [made] = await work.rows(
      insertStatement.with({ id, principalId, label, codeHash: sha256Hex(text), minutes: codeMinutes }),
    );
    await work.addJob(pollChatsTask, {}, { key: pollChatsTask });
    return {
      id,
      principalId,
      status: 'pending',
      label,
      code: { botName: botName!, text, expiresAt: made!.codeExpiresAt! },
    };
  },
  audit: ({ id, principalId }) => ({
    action: 'notices.chat_connected',
    object: { kind: 'chat_binding', id },
    details: { principal_id: principalId },
  }),
  wire: z.object({
    binding_id: z.uuid(),
    status: z.enum(['pending', 'active', 'revoked']),
    connect_url: z.string().nullable().meta({ secret: true }),
    connect_group_url: z.string().nullable().meta({ secret: true }),
    code_expires_at: z.iso.datetime().nullable(),
    label: z.string().nullable(),
    next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string(), why: z.string() })),
  }),
  toWire: (connected) => {
    const { own, group } = connectUrls(connected);
    return {
      binding_id: connected.id,
      status: connected.status,
      connect_url: own,
      connect_group_url: group,
      code_expires_at: connected.code?.expiresAt.toISOString() ?? null,
      label: connected.label,
      next_actions: [
        {
          type: 'create_rule',
          method: 'POST',
          path: '/agent/v1/notifications/rules',
          why: 'Nothing is told in a chat before a rule says what.',
        },
      ],
    };
  },
});

const countStatement = statement(
  'notices.count-bindings',
  { params: pick(chatBindings, 'principalId'), row: { count: computed<number>('integer', sql`count(*)::int`) } },
  ({ principalId }, row) => sql`select ${row} from ${chatBindings} where ${chatBindings.principalId} = ${principalId}
    and (${chatBindings.status} = 'active' or (${chatBindings.status} = 'pending' and ${chatBindings.codeExpiresAt} > now()))`,
);

const insertStatement = statement(
  'notices.insert-binding',
  {
    params: { ...pick(chatBindings, 'id', 'principalId', 'label', 'codeHash'), minutes: typed<number>('integer') },
    row: pick(chatBindings, 'codeExpiresAt'),
  },
  ({ minutes, ...given }, row) =>
    sql`${insertInto(chatBindings, {
      ...given,
      kind: sql`'telegram'`,
      status: sql`'pending'`,
      codeExpiresAt: sql`now() + make_interval(mins => ${minutes})`,
    })} returning ${row}`,
);

const insertHookStatement = statement(
  'notices.insert-hook',
  { params: pick(chatBindings, 'id', 'principalId', 'label', 'sealedUrl', 'chatTitle') },
  (given) =>
    insertInto(chatBindings, {
      ...given,
      kind: sql`'incoming_webhook'`,
      status: sql`'active'`,
      chatType: sql`'incoming_webhook'`,
      activatedAt: sql`now()`,
    }),
);
