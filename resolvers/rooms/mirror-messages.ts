import { safeMessage } from '../../core/safe-message.ts';
import type { Statement } from '../../db/pool.ts';
import type { RoomMessage } from '../../db/schema/rooms.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Task } from '../../kernel/run/task.ts';
import { roomEvents } from './event-types.ts';
import { projectOfRoom } from './room-summary.ts';
import { snippetOf } from './shared/wire.ts';

/** The job that finds what a node left untold that stopped. */
export const mirrorMessagesTask = 'mirror-messages';

export const mirrorMessagesJob: Task = ({ ctx }) => mirrorMessages(ctx);

/** Messages that one transaction tells of. */
const batch = 100;
/** Rooms that are looked up at once. */
const roomsAtOnce = 50;
/** How much of a body an event shows, in characters. Contract 02, section 1.5. */
const snippetCharacters = 200;

interface Lag {
  readonly orgId: string;
  readonly roomKey: string;
}

/**
 * Has the events tell of messages: of all in a project's own room, and of those that stand out elsewhere. Contract 02,
 * section 1.7. It runs after the sender's transaction, which only notes that there is something to tell, under the lock
 * that it has anyway. An event is told once by the message's id, so it harms nobody to begin anew anywhere: after a
 * crash between the events and the note of how far they go, or beside another node.
 */
export async function mirrorMessages(ctx: Context): Promise<void> {
  const failed = new Set<string>();
  for (;;) {
    const found = await ctx.services.db.rows<Lag>(lagsStatement, [roomsAtOnce, [...failed]]);
    for (const lag of found) {
      ctx.signal.throwIfAborted();
      try {
        // Somebody else is at it, and goes on until nothing is left.
        if (!(await mirrorSome(ctx, lag))) failed.add(nameOf(lag));
      } catch (error) {
        // One room holds up no other; it is tried again with the next round.
        failed.add(nameOf(lag));
        ctx.services.log.warn({ error: safeMessage(error), ...lag }, 'A room’s messages could not be told as events.');
      }
    }
    if (found.length === 0) return;
  }
}

const nameOf = ({ orgId, roomKey }: Lag) => `${orgId} ${roomKey}`;

async function mirrorSome(ctx: Context, { orgId, roomKey }: Lag): Promise<boolean> {
  const told = await unitOfWork(ctx, async (work) => {
    const [room] = await work.rows<{ from: bigint; head: bigint }>(enterStatement, [orgId, roomKey]);
    if (room === undefined) return undefined;
    const end = room.from + BigInt(batch);
    const projectId = projectOfRoom(roomKey);
    const now = ctx.services.now();
    const values = [orgId, roomKey, room.from, end, projectId !== null];
    for (const message of await work.rows<ToldMessage>(messagesStatement, values)) {
      work.append(eventOf(orgId, roomKey, projectId, message, now));
    }
    return { from: room.from, next: end > room.head ? room.head + 1n : end };
  });
  if (told === undefined) return false;
  await ctx.services.db.rows(toldStatement, [orgId, roomKey, told.from, told.next]);
  return true;
}

type ToldMessage = Pick<
  RoomMessage,
  'id' | 'senderName' | 'body' | 'threadId' | 'importance' | 'recipients' | 'createdAt'
>;

/** From when on a message is told late, in milliseconds. */
const lateMs = 86_400_000;

function eventOf(orgId: string, roomKey: string, projectId: string | null, message: ToldMessage, now: Date) {
  const snippet = snippetOf(message.body, snippetCharacters);
  return appendEvent({
    orgId,
    projectId,
    type: roomEvents.agent_message_sent,
    payload: {
      room_key: roomKey,
      message_id: message.id,
      sender: message.senderName,
      importance: message.importance,
      thread_id: message.threadId,
      recipients: message.recipients.map(({ name }) => name),
      body_snippet: snippet,
      body_truncated: snippet.length < message.body.length,
    },
    // One that is told late goes by when it is told: nothing may come into a month that is over.
    occurredAt: now.getTime() - message.createdAt.getTime() < lateMs ? message.createdAt : undefined,
    onceKey: `message:${message.id}`,
  });
}

const lagsStatement: Statement = {
  name: 'rooms.unmirrored',
  text: `select org_id as "orgId", feed_id as "roomKey" from feed_heads
    where unmirrored_from is not null and kind = 'room' and org_id || ' ' || feed_id <> all($2::text[])
    order by random() limit $1`,
};

// One at a time in a room, whoever comes second goes elsewhere. The room's own lock is its senders'.
const enterStatement: Statement = {
  name: 'rooms.mirror-enter',
  text: `select unmirrored_from as "from", position as head from feed_heads
    where org_id = $1 and kind = 'room' and feed_id = $2 and unmirrored_from is not null
      and pg_try_advisory_xact_lock(hashtextextended('room-mirror:' || $1::uuid || $2, 0))`,
};

const messagesStatement: Statement = {
  name: 'rooms.mirror-messages',
  text: `select id, sender_name as "senderName", body, thread_id as "threadId", importance, recipients, created_at as "createdAt"
    from room_messages where org_id = $1 and room_key = $2 and seq >= $3 and seq < $4
      and ($5::boolean or importance = 'high') order by seq`,
};

// Only from where it stood: whoever was slower has nothing to add.
const toldStatement: Statement = {
  name: 'rooms.mirrored',
  text: `update feed_heads set unmirrored_from = case when position >= $4 then $4::bigint end
    where org_id = $1 and kind = 'room' and feed_id = $2 and unmirrored_from = $3`,
};
