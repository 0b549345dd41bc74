import { useEffect, useState } from 'react';
import { hearKept, keep, ownName, recall } from '../../kept.ts';
import { idOf, shownMember } from '../../session/session.ts';
import type { Me, RoomProps } from './place.ts';

const keptKey = 'svc.console.session-key';
const keptName = 'svc.console.room-name';

/** Makes all tabs of this browser one presence, also after they were loaded anew. */
export function sessionKey(): string {
  let key = recall(keptKey);
  if (key === null) keep(keptKey, (key = `console-${crypto.randomUUID()}`));
  return key;
}

/** The name that a presence of this browser asks for. */
export const wantedName = (): string => recall(keptName) ?? 'console';

export const wantName = (name: string): void => keep(keptName, name);

/** A room, for the member who is in: another member of this browser has a presence of their own. */
function ownRoom({ org, room }: RoomProps): string {
  const member = shownMember();
  const who = member === undefined ? '' : idOf(member);
  return `${who} ${org} ${room}`;
}

const presenceName = (place: RoomProps) => `svc.console.presence ${ownRoom(place)}`;

function keptPresence(place: RoomProps): Me | undefined {
  const kept = recall(presenceName(place));
  return kept === null ? undefined : (JSON.parse(kept) as Me);
}

/** The presence of this browser in a room: joining or leaving in one tab is seen by the others. */
export function usePresence(place: RoomProps): readonly [me: Me | undefined, setMe: (me: Me | undefined) => void] {
  const [me, setMine] = useState(() => keptPresence(place));
  const name = presenceName(place);
  useEffect(() => hearKept(name, (kept) => setMine(kept === null ? undefined : (JSON.parse(kept) as Me))), [name]);
  const setMe = (mine: Me | undefined) => {
    keep(name, mine === undefined ? null : JSON.stringify(mine));
    setMine(mine);
  };
  return [me, setMe];
}

/** A message that is being written. */
export interface Draft {
  readonly body: string;
  /** Names of recipients, separated by commas. */
  readonly to: string;
  readonly high: boolean;
  readonly ack: boolean;
}

export const emptyDraft: Draft = { body: '', to: '', high: false, ack: false };

const draftName = ({ org, room }: RoomProps, thread: string | undefined) =>
  ownName(`message ${org} ${room} ${thread ?? ''}`);

/** The draft that this tab keeps for a room, or for a thread of it. */
export const keptDraft = (place: RoomProps, thread: string | undefined): Draft => ({
  ...emptyDraft,
  ...(JSON.parse(recall(draftName(place, thread), 'session') ?? '{}') as Partial<Draft>),
});

export function keepDraft(place: RoomProps, thread: string | undefined, draft: Draft): void {
  const { body, to, high, ack } = draft;
  const isEmpty = body === '' && to === '' && !high && !ack;
  keep(draftName(place, thread), isEmpty ? null : JSON.stringify(draft), 'session');
}

const outboxName = ({ org, room }: RoomProps) => ownName(`outbox ${org} ${room}`);

/** Messages that this tab has sent and the gateway has not accepted yet, as they were kept. */
export const keptOutbox = <Message>(place: RoomProps): readonly Message[] =>
  JSON.parse(recall(outboxName(place), 'session') ?? '[]') as readonly Message[];

export const keepOutbox = (place: RoomProps, messages: readonly unknown[]): void =>
  keep(outboxName(place), messages.length === 0 ? null : JSON.stringify(messages), 'session');

/** The newest message of a room that its reader has seen. */
interface Seen {
  readonly id: string;
  /** When it was sent. */
  readonly at: string;
}

const seenName = (place: RoomProps) => `svc.console.seen ${ownRoom(place)}`;

/** How far this browser has read in a room; undefined for a room that it never showed. */
export function keptSeen(place: RoomProps): Seen | undefined {
  const kept = recall(seenName(place));
  return kept === null ? undefined : (JSON.parse(kept) as Seen);
}

export const keepSeen = (place: RoomProps, seen: Seen): void => keep(seenName(place), JSON.stringify(seen));
