import { dirname, join } from 'node:path';
import type { Cli } from '../cli.ts';
import { nearestFile } from './bindings.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

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
  const path = await file(cli);
  const found = (await readJsonFile(path)) ?? {};
  const rooms = (found.rooms ?? {}) as Record<string, Standing>;
  const kept = Object.fromEntries(
    Object.entries({ ...rooms[room], ...change }).filter(([, value]) => value !== null && value !== undefined),
  );
  await writeJsonFile(path, { ...found, rooms: { ...rooms, [room]: kept } });
}
