import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Update {
  readonly update_id: number;
  readonly message: object;
}

/** How a chat answers instead of taking a message. */
export interface Refusal {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number };
}

/** The part of Telegram's Bot API that bots of notices use, with answers in the form that its documentation shows. */
export async function startTelegram() {
  const token = '123456:AAF-0123456789abcdefghijklmnopqrstuv';
  let updates: Update[] = [];
  let next = 100;
  const sent: { readonly chat_id: number; readonly text: string }[] = [];
  const refusals = new Map<number, Refusal>();
  const asked: string[] = [];

  function answer(method: string, body: Record<string, unknown>): object {
    if (method === 'getMe')
      return { ok: true, result: { id: 123456, is_bot: true, first_name: 'Notices', username: 'notices_bot' } };
    if (method === 'getUpdates') {
      updates = updates.filter(({ update_id }) => update_id >= Number(body.offset));
      return { ok: true, result: updates };
    }
    if (method !== 'sendMessage') return { ok: false, error_code: 404, description: 'Not Found' };
    const { chat_id, text } = body as { chat_id: number; text: string };
    const refusal = refusals.get(chat_id);
    if (refusal !== undefined) return { ok: false, ...refusal };
    if (text.length > 4_096) return { ok: false, error_code: 400, description: 'Bad Request: message is too long' };
    sent.push({ chat_id, text });
    return { ok: true, result: { message_id: sent.length, date: 1, chat: { id: chat_id, type: 'private' }, text } };
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, own, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url!) ?? [];
    asked.push(method ?? request.url!);
    const told =
      own === token
        ? answer(method!, JSON.parse(Buffer.concat(chunks).toString() || '{}'))
        : { ok: false, error_code: 401, description: 'Unauthorized' };
    const code = (told as { error_code?: number }).error_code ?? 200;
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    sent,
    asked,
    refusals,
    /** Somebody says something in a chat. */
    say(text: string, chat: { readonly id: number; readonly type: string; readonly title?: string }) {
      updates.push({ update_id: next++, message: { message_id: next, date: 1, chat, text } });
    },
    in: (chatId: number) => sent.filter(({ chat_id }) => chat_id === chatId).map(({ text }) => text),
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
