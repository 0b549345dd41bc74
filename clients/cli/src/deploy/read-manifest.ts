import type { Cli } from '../cli.ts';
import { local } from '../failure.ts';
import { readText } from '../input.ts';

/** Reads an object of JSON. @throws FILE_NOT_FOUND, BAD_FILE */
export async function readJson(cli: Cli, file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(cli, file);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw local('BAD_FILE', `${file} is no JSON: ${(error as Error).message}`, { field: file });
  }
  throw local('BAD_FILE', `${file} is no object of JSON.`, { field: file });
}
