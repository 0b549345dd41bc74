import { keep, recall } from '../kept.ts';
import { session } from '../session/session.ts';
import type { Me, RoomProps } from './room-place.ts';

const keptKey = 'svc.console.session-key';
const keptName = 'svc.console.room-name';

/** Brings this tab back as the same presence after it was loaded anew. */
export function sessionKey(): string {
  let key = recall(keptKey, 'session');
  if (key === null) keep(keptKey, (key = `console-${crypto.randomUUID()}`), 'session');
  return key;
}

/** The name that a presence of this browser asks for. */
export const wantedName = (): string => recall(keptName) ?? 'console';

export const wantName = (name: string): void => keep(keptName, name);

/** Under which the presence of this tab in a room is kept, for whoever is in: somebody else has another. */
function placeOf({ org, room }: RoomProps): string {
  const current = session.get();
  const who =
    current.state !== 'in'
      ? ''
      : current.member.kind === 'person'
        ? current.member.principalId
        : current.member.address;
  return `svc.console.presence ${who} ${org} ${room}`;
}

/** The presence that this tab had in a room before it was loaded anew. */
export function keptPresence(place: RoomProps): Me | undefined {
  const kept = recall(placeOf(place), 'session');
  return kept === null ? undefined : (JSON.parse(kept) as Me);
}

export const keepPresence = (place: RoomProps, me: Me | undefined): void =>
  keep(placeOf(place), me === undefined ? null : JSON.stringify(me), 'session');
