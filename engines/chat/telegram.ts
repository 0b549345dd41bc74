import { z } from 'zod';
import { type GuardedFetch, GuardedFetchError } from '../../core/guarded-fetch.ts';

/** A bot of Telegram's Bot API, as far as notices need it. https://core.telegram.org/bots/api */
export interface Telegram {
  /** The name of the bot, without its `@`: asked once. @throws ChatError */
  readonly username: () => Promise<string>;
  /**
   * Messages to the bot that wait, oldest first, once there are any or the time is over. What lies before `offset` is forgotten.
   *
   * @throws ChatError
   */
  readonly updates: (asked: {
    readonly offset: number;
    readonly seconds: number;
    readonly signal: AbortSignal;
  }) => Promise<readonly ChatUpdate[]>;
  /** Says something in a chat, as plain text. @throws ChatError */
  readonly send: (chatId: bigint, text: string, signal: AbortSignal) => Promise<void>;
}

export interface ChatUpdate {
  readonly id: number;
  /** Undefined for what is no message of a chat. */
  readonly message:
    | { readonly chatId: bigint; readonly chatType: string; readonly title: string | null; readonly text: string }
    | undefined;
}

/** Why a chat took no message. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  /** Whether it is no use to try again: the bot was removed, or the chat is gone. */
  readonly isFinal: boolean;
  /** When to try again, in seconds; undefined where nothing was said. */
  readonly retryAfter: number | undefined;
  /** What the chat is called now. */
  readonly movedTo: bigint | undefined;

  constructor(
    message: string,
    {
      isFinal = false,
      retryAfter,
      movedTo,
    }: { isFinal?: boolean; retryAfter?: number | undefined; movedTo?: bigint | undefined } = {},
  ) {
    super(message);
    this.isFinal = isFinal;
    this.retryAfter = retryAfter;
    this.movedTo = movedTo;
  }
}

/** UTF-16 units that one message holds. */
const messageMax = 4_096;

const Answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  error_code: z.int().optional(),
  parameters: z.object({ retry_after: z.int().optional(), migrate_to_chat_id: z.int().optional() }).optional(),
});

const Me = z.object({ username: z.string() });

const Updates = z.array(
  z.object({
    update_id: z.int(),
    message: z
      .object({
        text: z.string().optional(),
        chat: z.object({
          id: z.int(),
          type: z.string(),
          title: z.string().optional(),
          first_name: z.string().optional(),
          username: z.string().optional(),
        }),
      })
      .optional(),
  }),
);

export interface TelegramOptions {
  /** Where the Bot API is, without a slash at its end. */
  readonly apiUrl: string;
  readonly token: string;
  /** Has to wait longer than updates do, which is half a minute at most. */
  readonly fetch: GuardedFetch;
}

export function createTelegram({ apiUrl, token, fetch }: TelegramOptions): Telegram {
  let known: Promise<string> | undefined;

  async function call(method: string, body: object, signal?: AbortSignal): Promise<unknown> {
    let answer: z.output<typeof Answer> | undefined;
    try {
      const response = await fetch(`${apiUrl}/bot${token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      answer = Answer.safeParse(await response.json().catch(() => undefined)).data;
    } catch (error) {
      if (!(error instanceof GuardedFetchError)) throw error;
      throw new ChatError(error.message);
    }
    if (answer === undefined) throw new ChatError('The chat provider answered with something else than its API.');
    if (answer.ok) return answer.result;
    const { description = 'It was refused.', error_code: code = 500, parameters = {} } = answer;
    const { retry_after: retryAfter, migrate_to_chat_id: moved } = parameters;
    throw new ChatError(description, {
      isFinal: code >= 400 && code < 500 && code !== 429 && moved === undefined,
      retryAfter,
      movedTo: moved === undefined ? undefined : BigInt(moved),
    });
  }

  return {
    async username() {
      known ??= call('getMe', {}).then((me) => Me.parse(me).username);
      try {
        return await known;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
    async updates({ offset, seconds, signal }) {
      const asked = { offset, timeout: seconds, allowed_updates: ['message'] };
      const found = Updates.parse(await call('getUpdates', asked, signal));
      return found.map(({ update_id: id, message }) => ({ id, message: messageOf(message) }));
    },
    async send(chatId, text, signal) {
      await call('sendMessage', { chat_id: Number(chatId), text: cutText(text, messageMax) }, signal);
    },
  };
}

function messageOf(message: z.output<typeof Updates>[number]['message']): ChatUpdate['message'] {
  if (message?.text === undefined) return undefined;
  const { id, type, title, username, first_name: name } = message.chat;
  return { chatId: BigInt(id), chatType: type, title: title ?? username ?? name ?? null, text: message.text };
}

/** A text of at most so many UTF-16 units, never cut within a character. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
