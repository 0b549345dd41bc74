import { safeMessage } from '../../core/safe-message.ts';
import { sql } from '../../db/drizzle.ts';
import { feedHeads, type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
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

/** Messages that one transaction copies into the events. */
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
 * Copies messages into the events: all of a project's own room, and the notable ones of other rooms. Contract 02,
 * section 1.7. It runs after the sender's transaction, which only notes that there is something to tell, under the lock
 * that it has anyway. The message's id makes each event unique, so the copying may begin anew anywhere: after a
 * crash between the events and the note of how far they go, or beside another node.
 */
export async function mirrorMessages(ctx: Context): Promise<void> {
  const failed = new Set<string>();
  for (;;) {
    const found = await ctx.services.db.rows(lagsStatement.with({ limit: roomsAtOnce, failed: [...failed] }));
    for (const lag of found) {
      ctx.signal.throwIfAborted();
      try {
        // Another node is copying, and goes on until nothing is left.
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
    const [room] = await work.rows(enterStatement.with({ orgId, feedId: roomKey }));
    if (room === undefined) return undefined;
    const end = room.from + BigInt(batch);
    const projectId = projectOfRoom(roomKey);
    const now = ctx.services.now();
    const asked = messagesStatement.with({ orgId, roomKey, from: room.from, end, everything: projectId !== null });
    for (const message of await work.rows(asked)) {
      work.append(eventOf(orgId, roomKey, projectId, message, now));
    }
    return { from: room.from, next: end > room.head ? room.head + 1n : end };
  });
  if (told === undefined) return false;
  await ctx.services.db.rows(publishedStatement.with({ orgId, feedId: roomKey, from: told.from, next: told.next }));
  return true;
}

type PublishedMessage = Pick<
  RoomMessage,
  'id' | 'senderName' | 'body' | 'threadId' | 'importance' | 'recipients' | 'createdAt'
>;

/** Age from which a message counts as late, in milliseconds. */
const lateMs = 86_400_000;

function eventOf(orgId: string, roomKey: string, projectId: string | null, message: PublishedMessage, now: Date) {
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
    // A late one gets the moment of copying: nothing may be added to a month that is over.
    occurredAt: now.getTime() - message.createdAt.getTime() < lateMs ? message.createdAt : undefined,
    onceKey: `message:${message.id}`,
  });
}

const lagsStatement = statement(
  'rooms.unmirrored',
  {
    params: { limit: typed<number>('bigint'), failed: typed<readonly string[]>('text[]') },
    row: { orgId: feedHeads.orgId, roomKey: feedHeads.feedId },
  },
  ({ limit, failed }, row) => sql`select ${row} from ${feedHeads}
    where ${feedHeads.unmirroredFrom} is not null and ${feedHeads.kind} = 'room'
      and ${feedHeads.orgId} || ' ' || ${feedHeads.feedId} <> all(${failed}::text[])
    order by random() limit ${limit}`,
);

// One at a time in a room: one that comes second goes elsewhere. The room's own lock is its senders'.
const enterStatement = statement(
  'rooms.mirror-enter',
  {
    params: pick(feedHeads, 'orgId', 'feedId'),
    row: { from: computed<bigint>('bigint', sql`${feedHeads.unmirroredFrom}`), head: feedHeads.position },
  },
  ({ orgId, feedId }, row) => sql`select ${row} from ${feedHeads}
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'room' and ${feedHeads.feedId} = ${feedId}
      and ${feedHeads.unmirroredFrom} is not null
      and pg_try_advisory_xact_lock(hashtextextended('room-mirror:' || ${orgId}::uuid || ${feedId}, 0))`,
);

const messagesStatement = statement(
  'rooms.mirror-messages',
  {
    params: {
      ...pick(roomMessages, 'orgId', 'roomKey'),
      from: roomMessages.seq,
      end: roomMessages.seq,
      everything: typed<boolean>('boolean'),
    },
    row: pick(roomMessages, 'id', 'senderName', 'body', 'threadId', 'importance', 'recipients', 'createdAt'),
  },
  ({ orgId, roomKey, from, end, everything }, row) => sql`select ${row} from ${roomMessages}
    where ${roomMessages.orgId} = ${orgId} and ${roomMessages.roomKey} = ${roomKey}
      and ${roomMessages.seq} >= ${from} and ${roomMessages.seq} < ${end}
      and (${everything}::boolean or ${roomMessages.importance} = 'high')
    order by ${roomMessages.seq}`,
);

// Only from where it was: a slower one has nothing to add.
const publishedStatement = statement(
  'rooms.mirrored',
  { params: { ...pick(feedHeads, 'orgId', 'feedId'), from: typed<bigint>('bigint'), next: typed<bigint>('bigint') } },
  ({ orgId, feedId, from, next }) => sql`update ${feedHeads} ${setOf(feedHeads, {
    unmirroredFrom: sql`case when ${feedHeads.position} >= ${next} then ${next}::bigint end`,
  })} where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'room' and ${feedHeads.feedId} = ${feedId}
      and ${feedHeads.unmirroredFrom} = ${from}`,
);
