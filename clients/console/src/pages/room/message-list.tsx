import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Skeleton } from '../../design/status.tsx';
import { type Entry, entriesOf } from './entries.ts';
import { Message, type MessageActs } from './message.tsx';
import type { Outbox, PendingMessage } from './pending.ts';
import { PendingLine } from './pending-line.tsx';
import type { Me } from './place.ts';
import type { MessageLineFragment } from './room.graphql.ts';
import type { Messages } from './use-messages.ts';

/** How near its end a list counts as being read at the end, in pixels. */
const nearEnd = 80;
/** How many rows before its edge a list loads more. */
const nearEdge = 20;
/** Space above the first message, in pixels: for the skeleton and the beginning of the room, or in a thread. */
const headHeights = { room: 56, thread: 12 };
/** Heights of parts of a message that was not laid out yet, in pixels. */
const usualHeights = { message: 25, lead: 26, line: 40 };

interface MessageListProps extends MessageActs {
  readonly label: string;
  readonly messages: Messages;
  readonly rows: readonly MessageLineFragment[];
  readonly pending: readonly PendingMessage[];
  readonly outbox: Outbox;
  readonly me: Me | undefined;
  readonly writes: boolean;
  /** Time of the newest message that the reader has seen; undefined: no message is new. */
  readonly seenAt: string | undefined;
  /** The message that the address names; the list opens at it. */
  readonly target: string | undefined;
  /** Shown above the first message. */
  readonly beginning: ReactNode;
  /** Shown in place of the messages while there are none. */
  readonly empty: ReactNode;
  /** Receives whether the newest message is in sight. */
  readonly sees: (newest: boolean) => void;
  /** Opens the list at its newest message. */
  readonly toNewest: () => void;
}

/** Messages of any number. Only those in sight are in the page, and earlier ones load while their reader scrolls. */
export function MessageList(props: MessageListProps) {
  const { label, messages, rows, pending, outbox, me, writes, seenAt, target, sees } = props;
  const entries = useMemo(
    () => entriesOf(rows, pending, seenAt, me?.presenceId),
    [rows, pending, seenAt, me?.presenceId],
  );
  const headHeight = props.openThread === undefined ? headHeights.thread : headHeights.room;
  const frame = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => usualHeightOf(entries[index]!),
    getItemKey: (index) => entries[index]!.key,
    overscan: 10,
    paddingStart: headHeight,
    paddingEnd: 12,
    // New messages keep the end in sight, and earlier ones push nothing away.
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: nearEnd,
  });
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [arrivedAtEnd, setArrivedAtEnd] = useState(messages.arrived);
  const seen = useRef({ height: 0, atEnd: true });
  const isPlaced = useRef(false);

  const look = () => {
    if (!isPlaced.current) return;
    const height = frame.current?.clientHeight ?? 0;
    const isResized = seen.current.height !== height;
    // A place to write that grows takes height from the list, and its end stays in sight.
    if (isResized && seen.current.atEnd && messages.later === undefined) list.scrollToEnd();
    const atEnd = (list.isAtEnd() || (isResized && seen.current.atEnd)) && messages.later === undefined;
    seen.current = { height, atEnd };
    setIsAtEnd(atEnd);
    if (atEnd) setArrivedAtEnd(messages.arrived);
    sees(atEnd);
    const shown = list.range;
    if (shown === null) return;
    if (shown.startIndex < nearEdge) messages.earlier?.();
    if (shown.endIndex >= entries.length - nearEdge) messages.later?.();
  };
  const onLook = useEffectEvent(look);
  // The list opens at its newest message, or at the one that the address names.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each opening.
  useLayoutEffect(() => {
    isPlaced.current = false;
    const index = target === undefined ? -1 : entries.findIndex(({ key }) => key === target);
    if (index >= 0) list.scrollToIndex(index, { align: 'center' });
    else if (messages.later === undefined) list.scrollToEnd();
    const frames = [requestAnimationFrame(() => frames.push(requestAnimationFrame(placed)))];
    function placed() {
      isPlaced.current = true;
      onLook();
    }
    return () => {
      for (const one of frames) cancelAnimationFrame(one);
    };
  }, [messages.opening]);
  useEffect(() => {
    const growth = new ResizeObserver(() => onLook());
    growth.observe(frame.current!);
    return () => growth.disconnect();
  }, []);
  const { startIndex, endIndex } = list.range ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what a look depends on.
  useEffect(() => onLook(), [entries, startIndex, endIndex, messages.arrived, messages.earlier === undefined]);

  const missed = messages.arrived - arrivedAtEnd;
  return (
    <div className="messages-frame">
      {/* Rows that come into sight by scrolling are not read out. */}
      <div
        ref={frame}
        className="messages"
        role="log"
        aria-label={label}
        aria-live={isAtEnd ? 'polite' : 'off'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by key.
        tabIndex={0}
        onScroll={look}
      >
        <div className="messages-all" style={{ height: list.getTotalSize() }}>
          <div className="messages-head" style={{ height: headHeight }}>
            {messages.isWhole ? props.beginning : messages.earlier !== undefined && <Skeleton lines={2} />}
          </div>
          {list.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className="messages-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line
                entry={entries[index]!}
                outbox={outbox}
                me={me}
                writes={writes}
                target={target}
                openThread={props.openThread}
                acknowledge={props.acknowledge}
                copyLink={props.copyLink}
              />
            </div>
          ))}
        </div>
        {entries.length === 0 && props.empty}
      </div>
      {!isAtEnd && (
        <div className="to-newest">
          <Button
            small
            icon={ArrowDown}
            onPress={messages.later === undefined ? () => list.scrollToEnd() : props.toNewest}
          >
            {missed === 0
              ? 'Newest messages'
              : missed === 1
                ? '1 new message'
                : `${missed.toLocaleString()} new messages`}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The closer it is, the less a list moves while its reader scrolls. */
function usualHeightOf(entry: Entry): number {
  if (entry.kind === 'pending') return usualHeights.message + usualHeights.lead;
  const { leads, day, isFirstUnread } = entry;
  const lines = (day === undefined ? 0 : 1) + (isFirstUnread ? 1 : 0);
  return usualHeights.message + (leads ? usualHeights.lead : 0) + lines * usualHeights.line;
}

interface LineProps extends Pick<MessageListProps, 'outbox' | 'me' | 'writes' | 'target'>, MessageActs {
  readonly entry: Entry;
}

function Line({ entry, outbox, me, writes, target, openThread, acknowledge, copyLink }: LineProps) {
  if (entry.kind === 'pending') return <PendingLine pending={entry.pending} again={outbox.again} drop={outbox.drop} />;
  return (
    <Message
      entry={entry}
      me={me}
      writes={writes}
      isTarget={entry.key === target}
      openThread={openThread}
      acknowledge={acknowledge}
      copyLink={copyLink}
    />
  );
}
