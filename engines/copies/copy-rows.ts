import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import type { SavedTable } from './archive.ts';
import type { ContentStore, Part, PartWriter } from './content-store.ts';
import { quoted, quotedTable } from './names.ts';

type Table = Pick<SavedTable, 'schema' | 'name' | 'columns'>;

/**
 * Bytes of a table in one part, before they are compressed. A table that only grows keeps all of its parts but the last;
 * and what was stored of a large one when a copy was cut short is not stored again.
 */
const partBytes = 64 * 1024 * 1024;
const newline = 10;

const target = ({ columns, ...table }: Table) => `${quotedTable(table)} (${columns.map(quoted).join(', ')})`;

/** A table without columns has rows nonetheless, each an empty line. */
const copyTo = (table: Table) => `copy ${table.columns.length === 0 ? quotedTable(table) : target(table)} to stdout`;

const copyFrom = (table: Table) => `copy ${table.columns.length === 0 ? quotedTable(table) : target(table)} from stdin`;

/** Copies the rows of a table into a store. Memory holds a few buffers, however large the table or a row of it is. */
export async function copyOut(
  client: pg.Client,
  table: Table,
  store: ContentStore,
  onBytes: (bytes: number) => void,
): Promise<Pick<SavedTable, 'rows' | 'digest' | 'parts'>> {
  const stream = client.query(to(copyTo(table)));
  const digest = createHash('sha256');
  const parts: Part[] = [];
  let writer: PartWriter | undefined;
  let bytes = 0;
  const write = async (chunk: Buffer) => {
    writer ??= await store.writer();
    await writer.write(chunk);
    bytes += chunk.length;
  };
  const end = async () => {
    if (writer !== undefined) parts.push(await writer.end());
    writer = undefined;
    bytes = 0;
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      digest.update(chunk);
      onBytes(chunk.length);
      // A line ends within the chunk that fills a part, or in one of those behind it.
      const cut = bytes + chunk.length < partBytes ? -1 : chunk.indexOf(newline, Math.max(0, partBytes - bytes - 1));
      if (cut < 0) await write(chunk);
      else {
        await write(chunk.subarray(0, cut + 1));
        await end();
        if (cut + 1 < chunk.length) await write(chunk.subarray(cut + 1));
      }
    }
    await end();
  } finally {
    await writer?.discard().catch(() => undefined);
  }
  return { rows: stream.rowCount, digest: digest.digest('hex'), parts };
}

/** What a table holds: how many rows, and their digest as {@link copyOut} makes it. */
export async function measureRows(client: pg.Client, table: Table): Promise<Pick<SavedTable, 'rows' | 'digest'>> {
  const stream = client.query(to(copyTo(table)));
  const digest = createHash('sha256');
  for await (const chunk of stream as AsyncIterable<Buffer>) digest.update(chunk);
  return { rows: stream.rowCount, digest: digest.digest('hex') };
}

/** Copies rows of a store into a table. */
export async function copyIn(
  client: pg.Client,
  table: Table & Pick<SavedTable, 'parts'>,
  store: ContentStore,
  onBytes: (bytes: number) => void,
): Promise<void> {
  if (table.parts.length === 0) return;
  const stream = client.query(from(copyFrom(table)));
  // For good: what is written after the server has refused fails once more, and an error without a listener ends the process.
  stream.on('error', () => undefined);
  await pipeline(async function* () {
    for (const part of table.parts) {
      for await (const chunk of store.read(part)) {
        onBytes((chunk as Buffer).length);
        yield chunk as Buffer;
      }
    }
  }, stream);
}
