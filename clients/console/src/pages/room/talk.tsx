import { MessagesSquare } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { copied } from '../../design/copied.ts';
import { ErrorNote } from '../../design/error-note.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { announce, announceFailure } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useSearch } from '../../search.ts';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { isIn, type Outbox } from './pending.ts';
import type { Place } from './place.ts';
import { AckMessageDocument, type MessageLineFragment } from './room.graphql.ts';
import { keepSeen, keptSeen } from './self.ts';
import { useMessages } from './use-messages.ts';

interface TalkProps {
  readonly place: Place;
  readonly outbox: Outbox;
  /** Undefined: all messages of the room. */
  readonly thread: string | undefined;
  /** Opens a thread; undefined inside a thread. */
  readonly openThread: ((thread: string) => void) | undefined;
  readonly archived: ReactNode;
  /** Called when the gateway no longer lets the caller read the messages. */
  readonly refused: () => void;
}

/** Messages of a room or of a thread, and the place to write one. */
export function Talk({ place, outbox, thread, openThread, archived, refused }: TalkProps) {
  const { org, room, sessionKey, me, writes, open } = place;
  const isMain = thread === undefined;
  const [named, setNamed] = useSearch('message', '');
  const target = isMain && named !== '' ? named : undefined;
  const seesNewest = useRef(true);
  const messages = useMessages({ org, room, thread, at: target, readsBack: () => !seesNewest.current });
  const { rows } = messages;
  // The divider stays where it was when the room was opened.
  const [seen] = useState(() => keptSeen(place));
  const ack = useChange(AckMessageDocument);

  const newest = rows?.at(-1);
  const sees = (isNewest: boolean) => {
    seesNewest.current = isNewest;
    if (isMain && isNewest && newest !== undefined && !document.hidden)
      keepSeen(place, { id: newest.messageId, at: newest.createdAt });
  };
  const { heard } = outbox;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new rows can show a pending message.
  useEffect(() => {
    if (isMain && rows !== undefined) heard(rows);
  }, [rows, outbox.all]);

  const replace = (message: MessageLineFragment) =>
    messages.change((row) => (row.messageId === message.messageId ? message : row));
  const acknowledge = useSame(async (message: MessageLineFragment) => {
    // Shown as done at once, and taken back when it is refused.
    replace(ackedBy(message, me?.name));
    const answer = await ack.run({ org, room, message: message.messageId, sessionKey });
    replace(answer?.ackRoomMessage ?? message);
  });
  const copyLink = useSame(async ({ messageId }: MessageLineFragment) => {
    const link = new URL(location.pathname, location.origin);
    link.searchParams.set('message', messageId);
    if (await copied(String(link))) announce('The link was copied.');
    else announceFailure('The link was not copied.', 'The browser denies the clipboard.');
  });
  const toNewest = () => (target === undefined ? messages.again() : setNamed(''));
  const send: Outbox['send'] = (written) => {
    outbox.send(written);
    if (messages.later !== undefined) toNewest();
  };

  const pending = outbox.all.filter(
    (one) => (isMain || one.written.threadId === thread) && (rows === undefined || !isIn(rows)(one)),
  );
  const isRefused = messages.error?.code === 'NOT_AUTHORIZED';
  const onRefused = useEffectEvent(refused);
  useEffect(() => {
    if (isRefused) onRefused();
  }, [isRefused]);
  return (
    <div className="talk">
      <ErrorNote error={isRefused ? undefined : messages.error} retry={messages.again} />
      {rows === undefined && messages.error === undefined && (
        <div className="messages-frame is-loading">
          <Skeleton lines={9} />
        </div>
      )}
      {rows !== undefined && (
        <MessageList
          label={isMain ? 'Messages' : 'Replies'}
          messages={messages}
          rows={rows}
          pending={messages.later === undefined ? pending : none}
          outbox={outbox}
          me={me}
          writes={writes && open}
          seenAt={isMain ? seen?.at : undefined}
          target={target}
          beginning={isMain && rows.length > 0 && <p className="small quiet">This is the beginning of the room.</p>}
          empty={
            isMain ? (
              <State icon={MessagesSquare} title="No messages yet">
                Every member of the organization can read this room.
              </State>
            ) : (
              <State icon={MessagesSquare} title="No replies yet" />
            )
          }
          sees={sees}
          toNewest={toNewest}
          openThread={openThread}
          acknowledge={acknowledge}
          copyLink={copyLink}
        />
      )}
      <ErrorNote error={ack.error} />
      {!open && archived}
      {writes && open && <Composer key={thread} place={place} thread={thread} send={send} />}
    </div>
  );
}

const none: Outbox['all'] = [];

/** A function that stays the same and does what the latest one does, so that memoized rows are not rendered again. */
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
