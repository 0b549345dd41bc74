import { useCallback, useEffect, useRef, useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { useTail } from '../graph/use-tail.ts';
import { Card } from '../parts/card.tsx';
import { Dropped } from '../parts/dropped.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Loading } from '../parts/loaded.tsx';
import { Markdown } from '../parts/markdown.tsx';
import {
  AckMessageDocument,
  FollowMessagesDocument,
  LastMessagesDocument,
  type MessageLineFragment,
} from './room.graphql.ts';
import { Composer } from './room-composer.tsx';
import { Message } from './room-message.tsx';
import { PendingMessage, usePending } from './room-pending.tsx';
import type { Place } from './room-place.ts';

/** How near its end a list counts as being read at the end, in pixels. */
const nearEnd = 80;

/** What is said in a room, as it is said, and a place to say something. */
export function RoomTalk({ place }: { readonly place: Place }) {
  const { org, room, sessionKey, me, writes, open } = place;
  const [thread, setThread] = useState<string>();
  const [root, setRoot] = useState<MessageLineFragment>();
  const tail = useTail({
    variables: { org, room, threadId: thread ?? null },
    query: LastMessagesDocument,
    page: ({ roomMessages }) => roomMessages,
    feed: FollowMessagesDocument,
    event: ({ roomMessages: { cursor, reset, message } }) => ({ cursor, reset, node: message }),
  });
  const pending = usePending(place, tail.rows, thread);
  const ack = useChange(AckMessageDocument);
  const list = useEndInSight(tail.rows?.at(-1)?.messageId, pending.waiting.length);

  const replace = (message: MessageLineFragment) =>
    tail.change((row) => (row.messageId === message.messageId ? message : row));
  const openThread = useSame((id: string) => {
    setRoot(tail.rows?.find(({ messageId }) => messageId === id));
    setThread(id);
  });
  const acknowledge = useSame(async (message: MessageLineFragment) => {
    // Shown as done at once, and taken back when it is refused.
    replace(ackedBy(message, me?.name));
    const answer = await ack.run({ org, room, message: message.messageId, sessionKey });
    replace(answer?.ackRoomMessage ?? message);
  });

  return (
    <Card
      title={thread === undefined ? 'Messages' : 'Thread'}
      side={
        thread !== undefined && (
          <button type="button" className="slim" onClick={() => setThread(undefined)}>
            Back to all messages
          </button>
        )
      }
    >
      <div className="talk">
        {thread !== undefined && root !== undefined && (
          <blockquote className="note">
            <strong>{root.sender}</strong>
            <Markdown text={root.body} />
          </blockquote>
        )}
        <ErrorNote error={tail.error} retry={tail.again} />
        {tail.rows === undefined && tail.error === undefined && <Loading />}
        {tail.rows !== undefined && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
          <div ref={list} className="messages" role="log" aria-label="Messages" tabIndex={0}>
            <ol>
              {tail.earlier !== undefined && (
                <li>
                  <button type="button" className="slim" onClick={tail.earlier}>
                    Earlier messages
                  </button>
                  {tail.dropped && <Dropped />}
                </li>
              )}
              {tail.rows.map((message) => (
                <Message
                  key={message.cursor}
                  message={message}
                  me={me}
                  writes={writes}
                  openThread={thread === undefined ? openThread : undefined}
                  acknowledge={acknowledge}
                />
              ))}
              {pending.waiting.map((one) => (
                <PendingMessage key={one.key} pending={one} again={pending.again} drop={pending.drop} />
              ))}
              {tail.rows.length === 0 && pending.waiting.length === 0 && (
                <li>
                  <Empty title="No messages yet">Every member of the organization can read this room.</Empty>
                </li>
              )}
            </ol>
          </div>
        )}
        <ErrorNote error={ack.error} />
        {writes && open && <Composer key={thread} place={place} thread={thread} say={pending.say} />}
      </div>
    </Card>
  );
}

/** One function for good, which does what the latest does: those that are handed it need not be drawn again. */
function useSame<Given, Result>(latest: (given: Given) => Result): (given: Given) => Result {
  const current = useRef(latest);
  current.current = latest;
  return useCallback((given: Given) => current.current(given), []);
}

const ackedBy = (message: MessageLineFragment, name: string | undefined): MessageLineFragment => ({
  ...message,
  recipients: {
    edges: message.recipients.edges.map((edge) =>
      edge.name === name ? { ...edge, ackedAt: new Date().toISOString() } : edge,
    ),
  },
});

/**
 * Keeps the end of a list in sight as it grows, unless its reader has scrolled back. Messages that are shown already grow,
 * too: buttons come once it is known what the reader may do.
 */
function useEndInSight(last: string | undefined, waiting: number) {
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const showEnd = useCallback(() => {
    if (atEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, []);
  const watch = useCallback(
    (element: HTMLDivElement) => {
      list.current = element;
      let seen = { top: 0, height: 0 };
      const scrolled = () => {
        // The browser scrolls a list that shrinks, too: its reader has scrolled back only if its height is what it was.
        const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
        const isByReader = element.scrollTop < seen.top && element.scrollHeight === seen.height;
        atEnd.current = isNear || (atEnd.current && !isByReader);
        seen = { top: element.scrollTop, height: element.scrollHeight };
      };
      const growth = new ResizeObserver(showEnd);
      growth.observe(element);
      growth.observe(element.firstElementChild!);
      element.addEventListener('scroll', scrolled, { passive: true });
      return () => {
        growth.disconnect();
        element.removeEventListener('scroll', scrolled);
        list.current = null;
      };
    },
    [showEnd],
  );
  // A message may take the place of an older one of the same height.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is these that make the list grow.
  useEffect(showEnd, [last, waiting]);
  return watch;
}
