import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { type Envelope, envelopeOf } from '../../graph/envelope.ts';
import type { Place } from './place.ts';
import { type MessageLineFragment, SendMessageDocument, type SendRoomMessageInput } from './room.graphql.ts';
import { keepOutbox, keptOutbox, wantedName } from './self.ts';

/** A message as it is written. */
export type Written = Pick<SendRoomMessageInput, 'body' | 'threadId' | 'importance' | 'ackRequired' | 'to'>;

/** A message on its way. It is shown at once, until the room tells of it. */
export interface PendingMessage {
  /** Makes it one message however often it is sent. */
  readonly key: string;
  readonly written: Written;
  readonly messageId?: string;
  readonly error?: Envelope;
}

export interface Outbox {
  readonly all: readonly PendingMessage[];
  readonly send: (written: Written) => void;
  readonly again: (one: PendingMessage) => void;
  readonly drop: (one: PendingMessage) => void;
  /** Takes out the messages that a list of the room shows. */
  readonly heard: (rows: readonly MessageLineFragment[]) => void;
}

/**
 * Messages that the room has not told of yet. The tab keeps them until the gateway has answered, so that they are sent after
 * the page was loaded anew, too. Their keys make each of them one message.
 */
export function useOutbox(place: Place): Outbox {
  const { org, room, sessionKey, setMe } = place;
  const client = useClient();
  const [all, setAll] = useState<readonly PendingMessage[]>(() =>
    keptOutbox<Pick<PendingMessage, 'key' | 'written'>>(place),
  );
  const update = (key: string, change: Partial<PendingMessage>) =>
    setAll((now) => now.map((one) => (one.key === key ? { ...one, ...change } : one)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the room of a page stays the same.
  useEffect(() => {
    const unanswered = all.filter(({ messageId }) => messageId === undefined);
    keepOutbox(
      place,
      unanswered.map(({ key, written }) => ({ key, written })),
    );
  }, [all]);

  const before = useRef<Promise<unknown>>(Promise.resolve());
  /** One after the other: two messages are in the room in the order in which they were sent. */
  const enqueue = (one: PendingMessage) => {
    before.current = before.current.then(() => sendNow(one));
  };
  const sendNow = async ({ key, written }: PendingMessage) => {
    const input: SendRoomMessageInput = {
      ...written,
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
  const isResent = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was kept is sent once, when the page is opened.
  useEffect(() => {
    if (isResent.current) return;
    isResent.current = true;
    for (const one of all) enqueue(one);
  }, []);

  return {
    all,
    send(written) {
      const one: PendingMessage = { key: crypto.randomUUID(), written };
      setAll((now) => [...now, one]);
      enqueue(one);
    },
    again(one) {
      setAll((now) => now.map((other) => (other.key === one.key ? { key: one.key, written: one.written } : other)));
      enqueue(one);
    },
    drop: ({ key }) => setAll((now) => now.filter((one) => one.key !== key)),
    heard(rows) {
      if (all.length === 0) return;
      const isHeard = isIn(rows);
      if (all.some(isHeard)) setAll((now) => now.filter((one) => !isHeard(one)));
    },
  };
}

/** Whether a list of the room has a pending message already. */
export const isIn = (rows: readonly MessageLineFragment[]) => {
  const ids = new Set(rows.map(({ messageId }) => messageId));
  return ({ messageId }: PendingMessage): boolean => messageId !== undefined && ids.has(messageId);
};
