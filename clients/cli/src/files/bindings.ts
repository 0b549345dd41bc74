import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Cli } from '../cli.ts';
import { local } from '../failure.ts';
import { changeJsonFile, merged } from './change-json-file.ts';
import { isAbsent, readJsonFile } from './json-file.ts';

/** The organization, room and wallet that a checkout is bound to. Contract 04, section 4.6. */
export interface Binding {
  readonly wallet?: string;
  readonly org?: string;
  readonly room?: string;
}

export const sharedName = '.svc.json';
export const personalName = '.svc.local.json';

const members = ['wallet', 'org', 'room'] as const;

/** Formats of a UUID, a room key and a wallet name. */
export const spelling = {
  org: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  room: /^([a-z0-9][a-z0-9._-]{0,63}|prj_[A-Za-z0-9_-]+)$/,
  wallet: /^[a-z0-9][a-z0-9_-]{0,63}$/,
} as const;

/** Reads the nearer of the two binding files, here or in a folder above; the personal one wins. @throws BAD_FILE */
export async function readBinding(cli: Cli): Promise<Binding> {
  const [shared, personal] = await Promise.all([sharedName, personalName].map((name) => nearestFile(cli.cwd, name)));
  return { ...(await readOne(shared)), ...(await readOne(personal)) };
}

async function readOne(path: string | undefined): Promise<Binding> {
  if (path === undefined) return {};
  const found = (await readJsonFile(path)) ?? {};
  const binding: { wallet?: string; org?: string; room?: string } = {};
  for (const member of members) {
    const value = found[member];
    if (value === undefined) continue;
    if (typeof value !== 'string' || !spelling[member].test(value))
      throw local('BAD_FILE', `${path} names no ${member} that could be one.`, { field: member, details: { path } });
    binding[member] = value;
  }
  return binding;
}

/** The nearest file with this name, in this folder or one above. */
export async function nearestFile(from: string, name: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, name);
    try {
      await access(path);
      return path;
    } catch (error) {
      if (!isAbsent(error)) return path;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * Sets members of a binding file, and removes those that are null; other members are unchanged.
 *
 * @returns the file and its content
 */
export async function changeBinding(
  cli: Cli,
  change: Readonly<Partial<Record<keyof Binding, string | null>>>,
  { personal = false } = {},
): Promise<{ file: string; binding: Record<string, unknown> }> {
  const name = personal ? personalName : sharedName;
  const file = (await nearestFile(cli.cwd, name)) ?? join(cli.cwd, name);
  const binding = await changeJsonFile(file, (found) => merged(found, change), { mode: 0o644 });
  return { file, binding: binding ?? {} };
}
