import { sha256Hex } from '../../../core/keys.ts';
import { sql } from '../../../db/drizzle.ts';
import { chatBindings } from '../../../db/schema/notices.ts';
import { computed, pick, setOf, statement } from '../../../db/sql.ts';
import { ChatError, type ChatUpdate } from '../../../engines/chat/telegram.ts';
import type { Task } from '../../../kernel/run/task.ts';

/** The job that listens for codes while chats wait for theirs. */
export const pollChatsTask = 'notices.pollChats';

/** How long one run listens, in seconds, before it lets other jobs have their turn. */
const listenSeconds = 10;

/** What a chat says that is to be connected. A group names the bot after the command. */
const startPattern = /^\/start(?:@\w+)? ([\w-]{32})$/;

/** Connects chats that say a code that waits; runs again for as long as any does. */
export const pollChats: Task = async ({ ctx, addJob, log }) => {
  const { services, signal } = ctx;
  const { telegram, db } = services;
  if (telegram === undefined) return;
  let seconds = listenSeconds;
  if (await anyWaits()) {
    try {
      let offset = 0;
      for (let left = true; left; ) {
        const updates = await telegram.updates({ offset, seconds, signal });
        for (const { id, message } of updates) {
          if (message !== undefined) await connect(message);
          offset = id + 1;
        }
        // Once more, which also forgets what was read.
        left = updates.length > 0;
        seconds = 0;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ChatError)) throw error;
      log.warn({ error: error.message }, 'The chat provider cannot be asked for what chats say; trying again.');
      seconds = listenSeconds;
    }
    const wait = seconds === 0 ? 0 : 1_000;
    await addJob(pollChatsTask, {}, { key: pollChatsTask, runAt: new Date(services.now().getTime() + wait) });
  }

  async function anyWaits(): Promise<boolean> {
    const [waiting] = await db.rows(waitingStatement.with({}));
    return waiting!.waits;
  }

  async function connect({ text, chatId, chatType, title }: NonNullable<ChatUpdate['message']>): Promise<void> {
    const [, code] = startPattern.exec(text.trim()) ?? [];
    if (code === undefined) return;
    const codeHash = sha256Hex(code);
    const [connected] = await db.rows(connectStatement.with({ codeHash, chatId, chatType, chatTitle: title }));
    if (connected !== undefined) log.info({ binding: connected.id }, 'A chat was connected.');
  }
};

const waitingStatement = statement(
  'notices.chats-wait',
  {
    row: {
      waits: computed<boolean>(
        'boolean',
        sql`exists (select from ${chatBindings}
          where ${chatBindings.status} = 'pending' and ${chatBindings.codeExpiresAt} > now())`,
      ),
    },
  },
  (_none, row) => sql`select ${row}`,
);

// The first who says a code has it.
const connectStatement = statement(
  'notices.connect-chat',
  { params: pick(chatBindings, 'codeHash', 'chatId', 'chatType', 'chatTitle'), row: pick(chatBindings, 'id') },
  ({ codeHash, ...chat }, row) => sql`update ${chatBindings} ${setOf(chatBindings, {
    ...chat,
    status: sql`'active'`,
    activatedAt: sql`now()`,
    codeHash: sql`null`,
  })} where ${chatBindings.codeHash} = ${codeHash} and ${chatBindings.status} = 'pending'
      and ${chatBindings.codeExpiresAt} > now() returning ${row}`,
);
