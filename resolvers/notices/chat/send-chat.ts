import { isTaken, postWebhook } from '../../../core/post-webhook.ts';
import { sql } from '../../../db/drizzle.ts';
import { chatBindings } from '../../../db/schema/notices.ts';
import { pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import { ChatError, cutText } from '../../../engines/chat/telegram.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { Outcome } from '../held-notice.ts';

/** After so many refusals for good in a row nothing is told in a chat any more. Contract 02, section 5.3. */
const failuresMax = 10;

/** Says a notice in a chat. */
export async function sendChat(ctx: Context, bindingId: string, text: string): Promise<Outcome> {
  const [binding] = await ctx.services.db.rows(bindingStatement.with({ id: bindingId }));
  if (binding === undefined) return { error: 'The chat is not connected any more.', isFinal: true };
  if (binding.kind === 'incoming_webhook') return postHook(ctx, binding, text);
  const { telegram, db } = ctx.services;
  if (telegram === undefined) return { error: 'No chat provider is set up.' };
  try {
    await telegram.send(binding.chatId!, text, ctx.signal);
    return {};
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    const { movedTo, message, isFinal, retryAfter } = error;
    if (movedTo === undefined) return { error: message, isFinal, retryAfter };
    // A group that has grown goes by another id from now on.
    await db.rows(movedStatement.with({ id: bindingId, chatId: movedTo }));
    return { error: message, retryAfter: 0 };
  }
}

type Binding = RowOf<typeof bindingRow>;

async function postHook({ services, signal }: Context, { id, sealedUrl }: Binding, text: string): Promise<Outcome> {
  const url = services.keys.open('notice-secrets', sealedUrl!, id).toString();
  const body = JSON.stringify(bodyFor(new URL(url).hostname, text));
  const posted = await postWebhook(services.webhookFetch, url, { body, signal });
  if (posted.status === null) return { error: posted.error };
  const { status, headers } = posted;
  if (isTaken(status)) return {};
  const wait = Number(headers.get('retry-after') ?? '');
  return {
    // Where it leads to may hold the secret of the address.
    error: `The answer was ${status}.`,
    isFinal: status >= 300 && status < 500 && status !== 429 && status !== 408,
    ...(status === 429 && wait > 0 ? { retryAfter: Math.min(wait, 3_600) } : {}),
  };
}

/** As the provider takes it, with its bound on the length of a message; nobody is called by what strangers wrote. */
function bodyFor(host: string, text: string): object {
  if (/(^|\.)discord(app)?\.com$/.test(host)) return { content: cutText(text, 2_000), allowed_mentions: { parse: [] } };
  if (/(^|\.)slack\.com$/.test(host))
    return { text: cutText(text, 3_000).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') };
  return { text: cutText(text, 4_000) };
}

/** Counts what a chat refuses for good; with too much of it in a row nothing is told there any more. */
export const countChat = (work: Work, bindingId: string, isFinal: boolean) =>
  work.rows(countStatement.with({ id: bindingId, failed: isFinal, failuresMax }));

const bindingRow = pick(chatBindings, 'id', 'kind', 'chatId', 'sealedUrl');

const bindingStatement = statement(
  'notices.binding-to-tell',
  { params: pick(chatBindings, 'id'), row: bindingRow },
  ({ id }, row) => sql`select ${row} from ${chatBindings}
    where ${chatBindings.id} = ${id} and ${chatBindings.status} = 'active' and ${chatBindings.disabledAt} is null`,
);

const movedStatement = statement(
  'notices.chat-moved',
  { params: pick(chatBindings, 'id', 'chatId') },
  ({ id, chatId }) => sql`update ${chatBindings} ${setOf(chatBindings, { chatId })} where ${chatBindings.id} = ${id}`,
);

const countStatement = statement(
  'notices.count-chat',
  {
    params: { ...pick(chatBindings, 'id'), failed: typed<boolean>('boolean'), failuresMax: typed<number>('integer') },
  },
  ({ id, failed, failuresMax: most }) => {
    const counted = sql`case when ${failed}::boolean then ${chatBindings.consecutiveFailures} + 1 else 0 end`;
    return sql`update ${chatBindings} ${setOf(chatBindings, {
      consecutiveFailures: counted,
      disabledAt: sql`case when ${counted} >= ${most}::int then coalesce(${chatBindings.disabledAt}, now()) end`,
    })} where ${chatBindings.id} = ${id}`;
  },
);
