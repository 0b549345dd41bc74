import { createHash } from 'node:crypto';
import { Lru } from '../../core/lru.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import type { ProjectPools } from '../../db/project-pools.ts';
import { type Catalog, catalogSql } from './schema/catalog.ts';
import { schemaCacheOf } from './schema/load.ts';
import { SchemaTooLargeError } from './schema/too-large.ts';
import type { SchemaCache } from './schema/types.ts';

/** Projects whose schema is remembered, and the bytes that their catalogs may have. */
const bounds = { entries: 500, bytes: 256 * 1024 * 1024 };
/** For this long, in milliseconds, a schema is believed to be what it was; then the database is asked. */
const believedMs = 1_000;
/**
 * How often a schema is read again because something was not found: at once after a change of it, and not for each
 * request of a client that tries names. One more becomes due with each second.
 */
const againBurst = 10;
const againMs = 1_000;

interface Entry {
  /** Or why there is none: what is too large is not read again for each who asks. */
  readonly cache: SchemaCache | SchemaTooLargeError;
  /** How many changes the database had seen. */
  readonly version: string;
  /** Digest of all that it was made of. */
  readonly digest: string;
  /** Bytes of its catalog. */
  readonly size: number;
  /** When it was the newest, as far as is known. */
  checkedAt: number;
}

interface Allowance {
  left: number;
  at: number;
}

/** The schemas of the projects that this node serves, read when they are first needed. */
export class SchemaCaches {
  readonly #entries = new Lru<Entry>(bounds);
  readonly #reading = new Map<string, Promise<SchemaCache>>();
  readonly #checking = new Map<string, Promise<SchemaCache>>();
  /** How often databases were said to have changed: what began to be read before is not kept. */
  readonly #generations = new Lru<number>({ entries: 10_000, bytes: 10_000 });
  readonly #allowances = new Lru<Allowance>({ entries: 10_000, bytes: 10_000 });
  readonly #pools: Pick<ProjectPools, 'run'>;
  readonly #now: () => number;

  /** @param now the clock, in milliseconds */
  constructor(pools: Pick<ProjectPools, 'run'>, now: () => number = () => performance.now()) {
    this.#pools = pools;
    this.#now = now;
  }

  /** The schema, as it was a second ago at the most. */
  async get(database: ProjectDatabase): Promise<SchemaCache> {
    const entry = this.#entries.get(database.databaseName);
    if (entry === undefined) return this.reload(database);
    return this.#now() - entry.checkedAt < believedMs ? cacheOf(entry) : this.#check(database, entry);
  }

  /** Whether no other schema was read since this one. */
  isNewest({ databaseName }: Pick<ProjectDatabase, 'databaseName'>, cache: SchemaCache): boolean {
    const entry = this.#entries.get(databaseName);
    return entry === undefined || entry.cache === cache;
  }

  /** Asks whether a schema has changed, once for all who ask at the same time, and reads it anew if so. */
  #check(database: ProjectDatabase, entry: Entry): Promise<SchemaCache> {
    const { databaseName } = database;
    let checking = this.#checking.get(databaseName);
    if (checking === undefined) {
      const now = this.#now();
      checking = this.#pools
        .run(database, [versionStatement])
        .then(([rows]) => {
          if (rows![0]![0] !== entry.version) return this.reload(database);
          entry.checkedAt = Math.max(entry.checkedAt, now);
          return cacheOf(entry);
        })
        .finally(() => {
          if (this.#checking.get(databaseName) === checking) this.#checking.delete(databaseName);
        });
      this.#checking.set(databaseName, checking);
    }
    return checking;
  }

  /**
   * To be told that a project's schema may have changed just now: the next request sees it.
   *
   * @param manifest whether its manifest did, which the database does not count as a change
   */
  changed({ databaseName }: Pick<ProjectDatabase, 'databaseName'>, { manifest = false } = {}): void {
    const entry = this.#entries.get(databaseName);
    const version = manifest ? 'unknown' : (entry?.version ?? '');
    if (entry !== undefined) this.#entries.set(databaseName, { ...entry, version, checkedAt: -Infinity }, entry.size);
    this.#generations.set(databaseName, (this.#generations.get(databaseName) ?? 0) + 1, 1);
    // What is being read may have been read before.
    this.#reading.delete(databaseName);
    this.#checking.delete(databaseName);
  }

  /** A newer schema than one in which something was not found; the same one when it was read too often of late. */
  async renew(database: ProjectDatabase, known: SchemaCache): Promise<SchemaCache> {
    const entry = this.#entries.get(database.databaseName);
    if (entry !== undefined && entry.cache !== known) return cacheOf(entry);
    return this.#mayReadAgain(database.databaseName) ? this.reload(database) : known;
  }

  #mayReadAgain(name: string): boolean {
    const now = this.#now();
    const allowance = this.#allowances.get(name) ?? { left: againBurst, at: now };
    allowance.left = Math.min(againBurst, allowance.left + (now - allowance.at) / againMs);
    allowance.at = now;
    this.#allowances.set(name, allowance, 1);
    if (allowance.left < 1) return false;
    allowance.left -= 1;
    return true;
  }

  /** Reads a schema anew, once for all who ask at the same time. */
  reload(database: ProjectDatabase): Promise<SchemaCache> {
    const { databaseName } = database;
    let reading = this.#reading.get(databaseName);
    if (reading === undefined) {
      reading = this.#read(database).finally(() => {
        if (this.#reading.get(databaseName) === reading) this.#reading.delete(databaseName);
      });
      this.#reading.set(databaseName, reading);
    }
    return reading;
  }

  async #read(database: ProjectDatabase): Promise<SchemaCache> {
    const { databaseName } = database;
    const checkedAt = this.#now();
    const generation = this.#generations.get(databaseName);
    // The version first: a change between the two is read again, not missed.
    const [, versions, rows, , lives] = await this.#pools.run(database, [
      qualifiedNames,
      versionStatement,
      catalogStatement,
      asOwner,
      liveStatement,
    ]);
    const version = versions![0]![0]!;
    const text = rows![0]![0] ?? tooLargeText;
    const live = lives![0]![0]!;
    const known = this.#entries.get(databaseName);
    const digest = createHash('sha256').update(text).update(live).digest('base64url');
    // The same one as before where nothing is different: others keep what they made of it.
    const cache = known?.digest === digest ? known.cache : madeOf(text, live);
    const isNewest = known === undefined || known.checkedAt <= checkedAt;
    if (isNewest && this.#generations.get(databaseName) === generation)
      this.#entries.set(databaseName, { cache, version, digest, size: text.length, checkedAt }, text.length);
    return cacheOf({ cache });
  }
}

/** What a statement fails with that was made by a schema that is older than the database. */
export const outdatedStates: ReadonlySet<string> = new Set(['42P01', '42703', '42704', '42804', '42883']);

/** With no path to search, every name that PostgreSQL writes has its schema. */
const qualifiedNames = {
  name: undefined,
  text: "select set_config('search_path', '', true), set_config('transaction_read_only', 'on', true)",
  values: [],
};

/** Counts the transactions that changed the schema. */
const versionStatement = { name: undefined, text: 'select version from _svc.ddl_version', values: [] };

/** Largest catalog that is read, in bytes: the statement answers nothing for one that is larger. */
const catalogBytesMax = 16 * 1024 * 1024;
const tooLargeText = '';

const catalogStatement = {
  name: undefined,
  text: `select case when octet_length(catalog) <= ${catalogBytesMax} then catalog end from (${catalogSql}) as read`,
  values: [],
};

/** A refusal is kept like a schema, until the database has changed. */
function madeOf(text: string, live: string): Entry['cache'] {
  if (text === tooLargeText) return new SchemaTooLargeError('bytes', catalogBytesMax);
  try {
    return schemaCacheOf(JSON.parse(text) as Catalog, new Set(JSON.parse(live) as string[]));
  } catch (error) {
    if (error instanceof SchemaTooLargeError) return error;
    throw error;
  }
}

/** @throws SchemaTooLargeError */
function cacheOf({ cache }: Pick<Entry, 'cache'>): SchemaCache {
  if (cache instanceof SchemaTooLargeError) throw cache;
  return cache;
}

/** The manifest can be read by none but the owner of the project's tables. */
const asOwner = { name: undefined, text: "select set_config('role', 'service_role', true)", values: [] };

/** Tenant SQL can write there: what is no manifest names no tables. */
const liveStatement = {
  name: undefined,
  text: `select coalesce((select jsonb_agg(t->>'name') from _svc.manifest m,
      jsonb_path_query(m.manifest, 'strict $.tables[*] ? (@.live == true && @.expose == true)', '{}', true) t), '[]')::text`,
  values: [],
};
