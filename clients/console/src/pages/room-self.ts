import { useEffect, useState } from 'react';
import { hearKept, keep, recall } from '../kept.ts';
import { draftNames, session } from '../session/session.ts';
import type { Me, RoomProps } from './room-place.ts';

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

/** A room, for the member who is in: another member of this browser has a presence and drafts of their own. */
function ownRoom({ org, room }: RoomProps): string {
  const current = session.get();
  const who =
    current.state !== 'in'
      ? ''
      : current.member.kind === 'person'
        ? current.member.principalId
        : current.member.address;
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

/** What was written and not sent yet, by the names of its fields. */
export type Draft = Readonly<Record<string, string>>;

const draftName = (place: RoomProps, thread: string | undefined) => `${draftNames}${ownRoom(place)} ${thread ?? ''}`;

/** What this tab holds for a room, or for a thread of it. */
export const keptDraft = (place: RoomProps, thread: string | undefined): Draft =>
  JSON.parse(recall(draftName(place, thread), 'session') ?? '{}') as Draft;

/** @param draft undefined: it was sent */
export function keepDraft(place: RoomProps, thread: string | undefined, draft: Draft | undefined): void {
  const empty = Object.values(draft ?? {}).every((value) => value === '');
  keep(draftName(place, thread), empty ? null : JSON.stringify(draft), 'session');
}
