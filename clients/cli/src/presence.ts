import type { Cli } from './cli.ts';
import type { Flags } from './command.ts';
import { Failure, failureOf, local, runCommand } from './failure.ts';
import { keepPlace, type Place, placeIn } from './files/messaging.ts';
import { apiBase } from './net/api-base.ts';
import { perform } from './operation-command.ts';
import { rows } from './operations/rooms.ts';
import type { Room } from './resolve.ts';

/** A room as somebody stands in it: what is kept of that, and how a request says who speaks. */
export interface Seat {
  readonly room: Room;
  readonly place: Place;
  /** Members that name the presence, or how one is made on the way. */
  readonly identity: Readonly<Record<string, string | undefined>>;
  readonly keep: (change: Parameters<typeof keepPlace>[2]) => Promise<void>;
}

/** Who this checkout is in a room: `SVC_PRESENCE_ID`, `SVC_SESSION_KEY`, or the presence it was there before. */
export async function seatIn(
  cli: Cli,
  room: Room,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Seat> {
  const at = `${(await apiBase(cli)).url} ${room.org}/${room.room}`;
  const place = await placeIn(cli, at);
  const { env } = cli;
  const known = env.SVC_PRESENCE_ID ?? (env.SVC_SESSION_KEY === undefined ? place.presence_id : undefined);
  return {
    room,
    place,
    identity:
      known === undefined
        ? { session_key: env.SVC_SESSION_KEY, ...newcomer(cli, place, more) }
        : { presence_id: known },
    keep: keeping(cli, at),
  };
}

/** Keeps how somebody stands in a room. What was said and read there stays so where nothing can be written, and that is said once. */
function keeping(cli: Cli, at: string): Seat['keep'] {
  let isPublished = false;
  return async (change) => {
    try {
      await keepPlace(cli, at, change);
    } catch (error) {
      if (!isPublished)
        cli.stderr.write(`svc: this checkout forgets who you are in the room: ${failureOf(error).message}\n`);
      isPublished = true;
    }
  };
}

/** How a new presence introduces itself. */
export const newcomer = ({ env }: Cli, place: Place, more: Readonly<Record<string, string | undefined>> = {}) => ({
  requested_name: more.requested_name ?? place.requested_name ?? env.SVC_AGENT_NAME,
  task: more.task,
  program: env.SVC_PROGRAM,
  model: env.SVC_MODEL,
});

interface Presence {
  readonly presence_id: string;
  readonly name: string;
  readonly requested_name?: string;
}

/** Keeps who a request turned out to have been sent as. */
export async function keepPresence({ keep, place }: Seat, presence: Presence | undefined): Promise<void> {
  if (presence === undefined || presence.presence_id === place.presence_id) return;
  const { presence_id, name, requested_name } = presence;
  await keep({ presence_id, name, requested_name: requested_name ?? place.requested_name ?? null });
}

/** Registers a presence anew, under the name that was asked for first. */
export async function register(
  cli: Cli,
  seat: Seat,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Presence> {
  const { room, place } = seat;
  const { SVC_SESSION_KEY: session_key } = cli.env;
  const presence = (await perform(cli, rows['rooms.join'], {
    ...room,
    session_key,
    ...newcomer(cli, place, more),
  })) as unknown as Presence;
  await keepPresence(seat, presence);
  return presence;
}

/**
 * Sends something as this checkout's presence. One that fell silent is replaced, once, under the name it had asked for.
 *
 * @param work given the members that say who speaks
 */
export async function speaking<Answer>(
  cli: Cli,
  seat: Seat,
  work: (identity: Seat['identity']) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work(seat.identity);
  } catch (error) {
    if (
      !(error instanceof Failure) ||
      error.envelope.code !== 'PRESENCE_EXPIRED' ||
      cli.env.SVC_PRESENCE_ID !== undefined
    )
      throw error;
    const presence = await register(cli, seat);
    return work({ presence_id: presence.presence_id });
  }
}

/** The presence that "me" is. @throws NO_PRESENCE before anything is sent */
export function requirePresence({ identity }: Seat): Readonly<Record<string, string | undefined>> {
  const { presence_id, session_key } = identity;
  if (presence_id !== undefined) return { presence_id };
  if (session_key !== undefined) return { session_key };
  throw local('NO_PRESENCE', 'This checkout has no presence in the room, so nothing is addressed to it.', {
    nextActions: [runCommand('svc rooms join', 'It registers one, and keeps it for this checkout.')],
  });
}

/** The flags by which a call names its room. */
export const roomNames = (flags: Flags) => ({
  org: flags.text('org'),
  room: flags.text('room'),
  project: flags.text('project'),
});
