import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { type Envelope, envelopeOf } from '../graph/envelope.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { type MessageLineFragment, SendMessageDocument, type SendRoomMessageInput } from './room.graphql.ts';
import type { Place } from './room-place.ts';
import { wantedName } from './room-self.ts';

/** What somebody writes. */
export type Said = Pick<SendRoomMessageInput, 'body' | 'threadId' | 'importance' | 'ackRequired' | 'to'>;

/** A message on its way: shown at once, until the room tells of it. */
interface Pending {
  /** Makes it one message however often it is sent. */
  readonly key: string;
  readonly said: Said;
  readonly messageId?: string;
  readonly error?: Envelope;
}

/** Messages of this tab that the room has not told of yet; inside a thread, its own. */
export function usePending(
  { org, room, sessionKey, setMe }: Place,
  told: readonly MessageLineFragment[] | undefined,
  thread: string | undefined,
) {
  const client = useClient();
  const [all, setAll] = useState<readonly Pending[]>([]);
  const update = (key: string, change: Partial<Pending>) =>
    setAll((now) => now.map((one) => (one.key === key ? { ...one, ...change } : one)));

  const before = useRef<Promise<unknown>>(Promise.resolve());
  /** One after the other: what somebody says twice in a moment stands in the order in which it was said. */
  const send = (one: Pending) => {
    before.current = before.current.then(() => sendNow(one));
  };
  const sendNow = async ({ key, said }: Pending) => {
    const input: SendRoomMessageInput = {
      ...said,
      org,
      room,
      sessionKey,
      requestedName: wantedName(),
      program: 'console',
      messageKey: key,
      idempotencyKey: crypto.randomUUID(),
    };
    const { data, error } = await client.mutation(SendMessageDocument, { input }).toPromise();
    const sent = data?.sendRoomMessage;
    if (sent == null) return update(key, { error: envelopeOf(error) });
    if (sent.sending !== null) setMe(sent.sending.senderPresence);
    update(key, { messageId: sent.messageId });
  };

  const heard = new Set(told?.map(({ messageId }) => messageId));
  const isWaiting = ({ messageId }: Pending) => messageId === undefined || !heard.has(messageId);
  // What the room has told of is its own from then on, whichever part of the room is shown.
  useEffect(() => {
    if (!all.every(isWaiting)) setAll(all.filter(isWaiting));
  });
  return {
    waiting: all.filter((one) => isWaiting(one) && (thread === undefined || one.said.threadId === thread)),
    say(said: Said) {
      const one: Pending = { key: crypto.randomUUID(), said };
      setAll((now) => [...now, one]);
      send(one);
    },
    again(one: Pending) {
      setAll((now) => now.map((other) => (other.key === one.key ? { key: one.key, said: one.said } : other)));
      send(one);
    },
    drop: ({ key }: Pending) => setAll((now) => now.filter((one) => one.key !== key)),
  };
}

interface PendingMessageProps {
  readonly pending: Pending;
  readonly again: (pending: Pending) => void;
  readonly drop: (pending: Pending) => void;
}

/** A message on its way, or one that was refused and may be sent again. */
export function PendingMessage({ pending, again, drop }: PendingMessageProps) {
  const { said, error } = pending;
  return (
    <li className="message is-sending">
      <div className="body">
        <Markdown text={said.body} />
      </div>
      {error === undefined ? (
        <p className="small quiet">Sending…</p>
      ) : (
        <>
          <ErrorNote error={error} />
          <div className="row">
            <button type="button" className="slim" onClick={() => again(pending)}>
              Send again
            </button>
            <button type="button" className="plain slim" onClick={() => drop(pending)}>
              Drop
            </button>
          </div>
        </>
      )}
    </li>
  );
}
