import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { SavedDatabase, SavedTable } from './archive.ts';
import { type Catalog, type CatalogTable, MovedError, readCatalog, readSequence } from './catalog.ts';
import { copyOut } from './copy-rows.ts';
import { DumpError, dumpSchema, LargeDefinitionsError } from './dump-schema.ts';
import { quotedTable } from './names.ts';
import type { PartStore } from './parts.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

export interface SaveDatabaseOptions {
  /** As a user who may read all of it. */
  readonly url: string;
  readonly store: PartStore;
  /** The one schema whose definitions are saved. @default all */
  readonly definitionsOf?: string;
  /** Whose rows are saved. @default all */
  readonly rowsOf?: (relation: { readonly schema: string; readonly name: string }) => boolean;
  /** Told of bytes as they are read. */
  readonly onBytes?: (bytes: number) => void;
  /** Told how much there is, before it is read. */
  readonly onSize?: (bytes: number) => void;
  /** Longest wait for a lock that changes of a table hold, in milliseconds. @default 30_000 */
  readonly lockMs?: number;
  /** Most that the catalogs may answer to pg_dump, in bytes. @default 128 MiB */
  readonly definitionBytesMax?: number;
  readonly signal?: AbortSignal;
  /** Reads what else belongs to the same moment. */
  readonly also?: (client: pg.Client) => Promise<void>;
  /** Whether rows are sorted by the keys of their tables, so that the same rows are the same bytes. @default false */
  readonly sorted?: boolean;
}

export interface Saved {
  readonly database: SavedDatabase;
  /** What is not part of it, in sentences. */
  readonly leftOut: readonly string[];
  /** Tables whose rows have no order of their own. */
  readonly withoutKey: readonly string[];
}

/** SQLSTATEs of what is gone or changed since the snapshot was taken, or locked for long. */
const passing = new Set(['55P03', '42P01', '42703', '42809', '3F000', 'XX000', '40P01', '55006']);
const attemptsMax = 6;

/**
 * Saves a database as it is at one moment. Reading and writing go on in it; changes of a table's definition wait until it
 * is done.
 */
export async function saveDatabase(options: SaveDatabaseOptions): Promise<Saved> {
  for (let attempt = 1; ; attempt++) {
    options.signal?.throwIfAborted();
    try {
      return await saveOnce(options);
    } catch (error) {
      const again =
        error instanceof MovedError ||
        (error instanceof DumpError && !(error instanceof LargeDefinitionsError)) ||
        passing.has((error as pg.DatabaseError).code ?? '');
      if (!again || attempt === attemptsMax) throw error;
      await sleep(250 * attempt);
    }
  }
}

async function saveOnce(options: SaveDatabaseOptions): Promise<Saved> {
  const {
    url,
    store,
    definitionsOf,
    rowsOf = () => true,
    onSize,
    onBytes = () => undefined,
    lockMs = 30_000,
  } = options;
  const snapshot = await openSnapshot(url, lockMs);
  try {
    const { client } = snapshot;
    const catalog = await readCatalog(client, rowsOf);
    await holdTables(client, catalog.tables);
    await options.also?.(client);
    onSize?.(catalog.tables.reduce((sum, { bytes }) => sum + bytes, 0));
    const definitions = async (section: 'pre-data' | 'post-data') => {
      const schema = definitionsOf === undefined ? {} : { schema: definitionsOf };
      const bounds = { lockMs, bytesMax: options.definitionBytesMax };
      return store.text(await dumpSchema({ url, snapshot: snapshot.id, section, ...bounds, ...schema }));
    };
    const bothDefinitions = async () => ({
      before: await definitions('pre-data'),
      after: await definitions('post-data'),
    });
    const contents = async () => {
      const sequences = [];
      for (const sequence of catalog.sequences) sequences.push(await readSequence(client, sequence));
      return { sequences, tables: await saveRows(snapshot, catalog, { ...options, onBytes }) };
    };
    // Beside each other: pg_dump mostly waits for answers, each to one of many small questions. One run of it at a time,
    // since it may hold much of a large catalog in memory.
    const [{ before, after }, { sequences, tables }] = await allDone(bothDefinitions(), contents());
    return {
      database: {
        tables,
        sequences,
        before,
        after,
        extensions: [...catalog.extensions],
        filled: [...catalog.filled],
      },
      leftOut: catalog.leftOut,
      withoutKey: catalog.tables.filter(({ key }) => key.length === 0).map(({ name }) => name),
    };
  } finally {
    await snapshot.close();
  }
}

/** Waits until both have ended, so that nothing goes on behind a failure. @throws what the first that failed throws */
async function allDone<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

async function saveRows(
  { client }: Snapshot,
  { tables }: Catalog,
  { store, onBytes = () => undefined, signal, sorted = false }: SaveDatabaseOptions,
): Promise<SavedTable[]> {
  const saved: SavedTable[] = [];
  for (const { schema, name, columns, key } of tables) {
    signal?.throwIfAborted();
    const table = { schema, name, columns: [...columns] };
    saved.push({ ...table, ...(await copyOut(client, table, store, onBytes, sorted ? key : [])) });
  }
  return saved;
}

/**
 * Keeps definitions as they are until the snapshot is closed. A table that was written anew between snapshot and lock would
 * look empty from the snapshot.
 */
async function holdTables(client: pg.Client, tables: readonly CatalogTable[]): Promise<void> {
  if (tables.length === 0) return;
  await client.query(
    `lock table ${tables.map((table) => `only ${quotedTable(table)}`).join(', ')} in access share mode`,
  );
  const { rowCount } = await client.query(`select from pg_catalog.pg_class c
    where c.relkind = 'r' and c.oid >= 16384 and c.relfilenode <> pg_catalog.pg_relation_filenode(c.oid) limit 1`);
  if (rowCount !== 0) throw new MovedError('A table was written anew as the snapshot was taken.');
}
