import { dirname, join } from 'node:path';
import type { Cli } from '../cli.ts';
import { nearestFile } from './bindings.ts';
import { changeJsonFile, merged } from './change-json-file.ts';
import { readJsonFile } from './json-file.ts';

/** Who this checkout is in a room, and how far it has read. */
export interface Standing {
  readonly presence_id?: string;
  readonly name?: string;
  readonly requested_name?: string;
  readonly cursor?: string;
}

async function file(cli: Cli): Promise<string> {
  const bound = await nearestFile(cli.cwd, '.svc.json');
  return join(bound === undefined ? cli.cwd : dirname(bound), '.svc', 'messaging.json');
}

export async function standingIn(cli: Cli, room: string): Promise<Standing> {
  const rooms = (await readJsonFile(await file(cli)))?.rooms as Record<string, Standing> | undefined;
  return rooms?.[room] ?? {};
}

/** Keeps what is given beside what was kept; null forgets a member. */
export async function keepStanding(
  cli: Cli,
  room: string,
  change: Readonly<Partial<Record<keyof Standing, string | null>>>,
): Promise<void> {
  await changeJsonFile(await file(cli), (found) => {
    const rooms = (found?.rooms ?? {}) as Record<string, Record<string, unknown>>;
    return { ...found, rooms: { ...rooms, [room]: merged(rooms[room], change) } };
  });
}
