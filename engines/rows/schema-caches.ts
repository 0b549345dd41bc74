import { Lru } from '../../core/lru.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import type { ProjectPools } from '../../db/project-pools.ts';
import { type Catalog, catalogSql } from './schema/catalog.ts';
import { schemaCacheOf } from './schema/load.ts';
import type { SchemaCache } from './schema/types.ts';

/** Projects whose schema is remembered, and the bytes that their catalogs may have. */
const bounds = { entries: 500, bytes: 256 * 1024 * 1024 };
/** After this long, in milliseconds, a schema is read again beside the request that uses it. */
const staleMs = 30_000;
/**
 * How often a schema is read again because something was not found: at once after a change of it, and not for each
 * request of somebody who tries names. One more becomes due with each second.
 */
const againBurst = 10;
const againMs = 1_000;

interface Entry {
  readonly cache: SchemaCache;
  readonly readAt: number;
}

interface Allowance {
  left: number;
  at: number;
}

/** The schemas of the projects that this node serves, read when they are first needed. */
export class SchemaCaches {
  readonly #entries = new Lru<Entry>(bounds);
  readonly #reading = new Map<string, Promise<SchemaCache>>();
  readonly #allowances = new Lru<Allowance>({ entries: 10_000, bytes: 10_000 });
  readonly #pools: Pick<ProjectPools, 'run'>;
  readonly #now: () => number;

  /** @param now the clock, in milliseconds */
  constructor(pools: Pick<ProjectPools, 'run'>, now: () => number = () => performance.now()) {
    this.#pools = pools;
    this.#now = now;
  }

  /** The schema as it was when last read. */
  async get(database: ProjectDatabase): Promise<SchemaCache> {
    const entry = this.#entries.get(database.databaseName);
    if (entry === undefined) return this.reload(database);
    if (this.#now() - entry.readAt > staleMs) void this.reload(database).catch(() => undefined);
    return entry.cache;
  }

  /** A newer schema than one in which something was not found; the same one when it was read too often of late. */
  async renew(database: ProjectDatabase, known: SchemaCache): Promise<SchemaCache> {
    const entry = this.#entries.get(database.databaseName);
    if (entry !== undefined && entry.cache !== known) return entry.cache;
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
      reading = this.#read(database).finally(() => this.#reading.delete(databaseName));
      this.#reading.set(databaseName, reading);
    }
    return reading;
  }

  async #read(database: ProjectDatabase): Promise<SchemaCache> {
    const readAt = this.#now();
    const [, rows] = await this.#pools.run(database, [qualifiedNames, catalogStatement]);
    const text = rows![0]![0]!;
    const cache = schemaCacheOf(JSON.parse(text) as Catalog);
    this.#entries.set(database.databaseName, { cache, readAt }, text.length);
    return cache;
  }
}

/** With no path to search, every name that PostgreSQL writes has its schema. */
const qualifiedNames = {
  name: undefined,
  text: "select set_config('search_path', '', true), set_config('transaction_read_only', 'on', true)",
  values: [],
};

const catalogStatement = { name: undefined, text: catalogSql, values: [] };
