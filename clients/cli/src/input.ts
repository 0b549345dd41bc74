import { access, constants, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Cli } from './cli.ts';
import { parseExactJson } from './exact-json.ts';
import { type Failure, local } from './failure.ts';
import { isAbsent } from './files/json-file.ts';

/** The text of a file, or of standard input for `-`. @throws FILE_NOT_FOUND, BAD_FILE */
export async function readText(cli: Cli, name: string): Promise<string> {
  if (name === '-') {
    // A letter of several bytes may come in two pieces.
    const pieces: Buffer[] = [];
    for await (const piece of cli.stdin) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString();
  }
  try {
    return await readFile(resolve(cli.cwd, name), 'utf8');
  } catch (error) {
    throw unread(error, name);
  }
}

/** The value of a variable of the environment. @param field the flag that names it @throws MISSING_SECRET */
export function variable({ env }: Cli, name: string, field: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw local('MISSING_SECRET', `The environment has no ${name}.`, { field });
  return value;
}

/** The path of a file or folder that a command reads piece by piece. @throws FILE_NOT_FOUND, BAD_FILE */
export async function pathOf(cli: Cli, name: string): Promise<string> {
  const path = resolve(cli.cwd, name);
  try {
    await stat(path);
    return path;
  } catch (error) {
    throw unread(error, name);
  }
}

const unread = (error: unknown, name: string): Failure =>
  isAbsent(error)
    ? local('FILE_NOT_FOUND', `There is no file ${name}.`, { details: { path: name } })
    : local('BAD_FILE', `${name} cannot be read.`, { details: { path: name } });

/**
 * The path of a file that is written after something was made or paid for, which a wrong name must not lose.
 *
 * @throws BAD_FILE where the file cannot be written
 */
export async function writablePath(cli: Cli, name: string): Promise<string> {
  const path = resolve(cli.cwd, name);
  try {
    await access(dirname(path), constants.W_OK);
    const found = await stat(path).catch((error: unknown) => (isAbsent(error) ? undefined : Promise.reject(error)));
    if (found === undefined) return path;
    if (found.isDirectory()) throw new Error('It is a folder.');
    await access(path, constants.W_OK);
    return path;
  } catch (error) {
    throw unwritten(error, name);
  }
}

/** Says that a file of this machine could not be written. */
export const unwritten = (error: unknown, name: string): Failure =>
  local('BAD_FILE', `${name} cannot be written: ${(error as Error).message}`, { details: { path: name } });

/** JSON of a flag: as it was given, or for `@file` and `-` what is in there. @throws BAD_JSON */
export async function readInput(cli: Cli, value: unknown, field: string): Promise<unknown> {
  if (typeof value !== 'string' || !(value === '-' || value.startsWith('@'))) return value;
  return readJson(cli, value === '-' ? '-' : value.slice(1), field);
}

/** The JSON of a file, or of standard input for `-`. @throws BAD_JSON, FILE_NOT_FOUND */
export async function readJson(cli: Cli, name: string, field: string): Promise<unknown> {
  const text = await readText(cli, name);
  try {
    return parseExactJson(text);
  } catch {
    throw local('BAD_JSON', `${name === '-' ? 'Standard input' : name} is no JSON.`, { field });
  }
}
