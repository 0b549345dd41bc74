import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Cli } from '../cli.ts';
import { nearestFile } from './bindings.ts';
import { changeJsonFile, merged } from './change-json-file.ts';
import { readJsonFile } from './json-file.ts';
import { configDir } from './paths.ts';

/** The presence of this checkout in a room, and its read position. */
export interface Place {
  readonly presence_id?: string;
  readonly name?: string;
  readonly requested_name?: string;
  readonly cursor?: string;
}

type Rooms = Readonly<Record<string, Record<string, unknown>>>;

/**
 * The accountStatuses of all checkouts, by folder. They are not in the checkout's own `.svc`, which may be a gateway's data
 * folder.
 */
const file = (cli: Cli): string => join(configDir(cli), 'messaging.json');

async function checkoutOf({ cwd }: Cli): Promise<string> {
  const bound = await nearestFile(cwd, '.svc.json');
  return bound === undefined ? cwd : dirname(bound);
}

/** The location in earlier versions. */
const former = (checkout: string): string => join(checkout, '.svc', 'messaging.json');

const formerRooms = async (checkout: string): Promise<Rooms> =>
  ((await readJsonFile(former(checkout)))?.rooms ?? {}) as Rooms;

const roomsIn = (found: Record<string, unknown> | undefined, checkout: string): Rooms | undefined =>
  (found?.checkouts as Record<string, Rooms> | undefined)?.[checkout];

export async function placeIn(cli: Cli, room: string): Promise<Place> {
  const checkout = await checkoutOf(cli);
  const rooms = roomsIn(await readJsonFile(file(cli)), checkout) ?? (await formerRooms(checkout));
  return rooms[room] ?? {};
}

/** Stores the given members besides the existing ones; null removes a member. */
export async function keepPlace(
  cli: Cli,
  room: string,
  change: Readonly<Partial<Record<keyof Place, string | null>>>,
): Promise<void> {
  const checkout = await checkoutOf(cli);
  const before = await formerRooms(checkout);
  await changeJsonFile(file(cli), (found) => {
    const rooms = roomsIn(found, checkout) ?? before;
    const changed = { ...rooms, [room]: merged(rooms[room], change) };
    return { ...found, checkouts: { ...(found?.checkouts as object | undefined), [checkout]: changed } };
  });
  // All of it has been moved to the new file.
  if (Object.keys(before).length > 0) await rm(former(checkout), { force: true });
}
