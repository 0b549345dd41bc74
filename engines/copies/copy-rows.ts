import { createHash, type Hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import type { SavedTable } from './archive.ts';
import type { KeyColumn } from './catalog.ts';
import { quoted, quotedTable } from './names.ts';
import type { Part, PartReader, PartStore, PartWriter } from './parts.ts';

type Table = Pick<SavedTable, 'schema' | 'name'> & { readonly columns: readonly string[] };

/**
 * Bytes of a table in one part, before they are compressed. A table that only grows keeps all of its parts but the last;
 * and what was stored of a large one when a copy was cut short is not stored again.
 */
const partBytes = 64 * 1024 * 1024;
const newline = 10;

const target = ({ columns, ...table }: Table) => `${quotedTable(table)} (${columns.map(quoted).join(', ')})`;

/** A table without columns has rows nonetheless, each an empty line. */
const copyTo = (table: Table) => `copy ${table.columns.length === 0 ? quotedTable(table) : target(table)} to stdout`;

/**
 * The rows in the order of a key, the same on every server: texts byte by byte, whatever language their column is in. Types
 * are compared by what PostgreSQL itself compares them by; nothing is cast, since a cast may be the tenant's own.
 */
const copyInOrder = (table: Table, key: readonly KeyColumn[]) =>
  `copy (select ${table.columns.map(quoted).join(', ')} from only ${quotedTable(table)} order by ${key
    .map(({ name, collated }) => quoted(name) + (collated ? ' collate pg_catalog."C"' : ''))
    .join(', ')}) to stdout`;

const copyFrom = (table: Table) => `copy ${table.columns.length === 0 ? quotedTable(table) : target(table)} from stdin`;

/** A piece of a part. */
interface Piece {
  readonly bytes: Buffer;
  readonly endsPart: boolean;
}

/** Cuts rows into parts. Where a part ends depends on the rows alone: behind the line that fills it. */
async function* inParts(rows: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let filled = 0;
  for await (const chunk of rows) {
    const left = partBytes - filled;
    // The line that fills a part may end in a later chunk.
    const cut = chunk.length < left ? -1 : chunk.indexOf(newline, Math.max(0, left - 1));
    if (cut < 0) {
      filled += chunk.length;
      yield { bytes: chunk, endsPart: false };
      continue;
    }
    yield { bytes: chunk.subarray(0, cut + 1), endsPart: true };
    const rest = chunk.subarray(cut + 1);
    filled = rest.length;
    if (rest.length > 0) yield { bytes: rest, endsPart: false };
  }
}

/**
 * Copies the rows of a table into a store. Memory holds a few buffers, however large the table or a row of it is.
 *
 * @param key what the rows are sorted by; none: they come as they lie there
 */
export async function copyOut(
  client: pg.Client,
  table: Table,
  store: PartStore,
  onBytes: (bytes: number) => void,
  key: readonly KeyColumn[] = [],
): Promise<Pick<SavedTable, 'rows' | 'parts'>> {
  const stream = client.query(to(key.length === 0 ? copyTo(table) : copyInOrder(table, key)));
  const parts: Part[] = [];
  let writer: PartWriter | undefined;
  try {
    for await (const { bytes, endsPart } of inParts(stream)) {
      onBytes(bytes.length);
      writer ??= await store.writer();
      await writer.write(bytes);
      if (!endsPart) continue;
      parts.push(await writer.end());
      writer = undefined;
    }
    if (writer !== undefined) parts.push(await writer.end());
    writer = undefined;
  } finally {
    await writer?.discard().catch(() => undefined);
  }
  return { rows: stream.rowCount, parts };
}

/** What a table holds now: how many rows, and the SHA-256 of each part that {@link copyOut} would make of them. */
export async function measureRows(
  client: pg.Client,
  table: Table,
): Promise<{ readonly rows: number; readonly contents: readonly string[] }> {
  const stream = client.query(to(copyTo(table)));
  const contents: string[] = [];
  let hash: Hash | undefined;
  for await (const { bytes, endsPart } of inParts(stream)) {
    hash ??= createHash('sha256');
    hash.update(bytes);
    if (!endsPart) continue;
    contents.push(hash.digest('hex'));
    hash = undefined;
  }
  if (hash !== undefined) contents.push(hash.digest('hex'));
  return { rows: stream.rowCount, contents };
}

/** Cuts rows that were copied out into the parts that {@link copyOut} would make of them. */
export async function partsOfRows(
  rows: AsyncIterable<Buffer>,
): Promise<readonly { readonly bytes: number; readonly content: string }[]> {
  const parts: { bytes: number; content: string }[] = [];
  let open: { bytes: number; hash: Hash } | undefined;
  const end = () => {
    if (open !== undefined) parts.push({ bytes: open.bytes, content: open.hash.digest('hex') });
    open = undefined;
  };
  for await (const { bytes, endsPart } of inParts(rows)) {
    open ??= { bytes: 0, hash: createHash('sha256') };
    open.bytes += bytes.length;
    open.hash.update(bytes);
    if (endsPart) end();
  }
  end();
  return parts;
}

/** Copies the rows of a table from one database into another. */
export async function copyAcross(source: pg.Client, destination: pg.Client, table: Table): Promise<void> {
  const stream = destination.query(from(copyFrom(table)));
  stream.on('error', () => undefined);
  await pipeline(source.query(to(copyTo(table))), stream);
}

/** Copies rows of a store into a table. */
export async function copyIn(
  client: pg.Client,
  table: Table & Pick<SavedTable, 'parts'>,
  store: PartReader,
  onBytes: (bytes: number) => void,
): Promise<void> {
  if (table.parts.length === 0) return;
  const stream = client.query(from(copyFrom(table)));
  // For good: what is written after the server has refused fails once more, and an error without a listener ends the process.
  stream.on('error', () => undefined);
  await pipeline(async function* () {
    for (const part of table.parts) {
      for await (const chunk of store.read(part)) {
        onBytes(chunk.length);
        yield chunk;
      }
    }
  }, stream);
}
