import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { Cli } from '../cli.ts';
import { Failure, local } from '../failure.ts';
import { isAbsent } from '../files/json-file.ts';

/** A dump that is being read. */
export interface DumpFile {
  readonly chunks: AsyncIterable<Buffer>;
  /** How much of it was read, from 0 to 1; undefined where its size is not known. */
  readonly done: () => number | undefined;
}

/** Opens a dump: plain or gzip, a file or `-` for standard input. @throws FILE_NOT_FOUND, BAD_FILE */
export async function openDump(cli: Cli, name: string): Promise<DumpFile> {
  let read = 0;
  const size = name === '-' ? undefined : await sizeOf(cli, name);
  const source: AsyncIterable<Buffer | string> = name === '-' ? cli.stdin : createReadStream(resolve(cli.cwd, name));
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const bytes = Buffer.from(chunk as Buffer);
      read += bytes.length;
      yield bytes;
    }
  }
  return { chunks: unpacked(counted(), name), done: () => (size ? read / size : undefined) };
}

async function sizeOf(cli: Cli, name: string): Promise<number> {
  try {
    const found = await stat(resolve(cli.cwd, name));
    if (found.isDirectory())
      throw local(
        'BAD_FILE',
        `${name} is a directory. Write the dump with pg_dump --format=plain, or make SQL of one in format directory with pg_restore --file=dump.sql ${name}.`,
        {
          details: { path: name },
        },
      );
    return found.size;
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (isAbsent(error)) throw local('FILE_NOT_FOUND', `There is no file ${name}.`, { details: { path: name } });
    throw local('BAD_FILE', `${name} cannot be read.`, { details: { path: name } });
  }
}

/** Gzip is known by its first two bytes, whatever the file is called. */
async function* unpacked(chunks: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Buffer> {
  const first = await chunks.next();
  // `pg_dump … > dump.sql` leaves an empty file where pg_dump fails.
  if (first.done === true)
    throw local(
      'BAD_FILE',
      `${name === '-' ? 'Standard input' : name} is empty: see whether pg_dump reported an error.`,
      {
        details: { path: name },
      },
    );
  async function* again(): AsyncGenerator<Buffer> {
    yield first.value as Buffer;
    yield* chunks;
  }
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* again();
    return;
  }
  const gunzip = createGunzip();
  const { pipeline } = await import('node:stream/promises');
  const fed = pipeline(again(), gunzip);
  fed.catch(() => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
    await fed;
  } catch {
    throw local('BAD_FILE', `${name} is no whole gzip file.`, { details: { path: name } });
  }
}
