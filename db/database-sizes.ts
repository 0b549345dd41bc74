import { Lru } from '../core/lru.ts';
import type { Queries } from './transaction.ts';

/** How long a size is taken for what it is, in milliseconds. */
const freshMs = 30_000;
/** How long a reader waits for a size at most: until then it is worth having, and the rest of the answer is more so. */
const patienceMs = 2_000;
/** How long a server that did not answer is left alone, in milliseconds. */
const restMs = 5_000;
/** Databases that one statement measures: it looks at every file of each. */
const batchNames = 200;
/** Sizes that are remembered of one server. */
const remembered = 200_000;

export interface DatabaseSizesOptions {
  /** Bytes of databases on a server by name; those that are gone are left out. */
  readonly measure: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** @default performance.now */
  readonly now?: () => number;
}

const sizesStatement = `select datname, coalesce(pg_database_size(oid), 0) as bytes
  from pg_database where datname = any($1::text[])`;

/** Measures databases of one server. @returns bytes by name; those that are gone are left out */
export async function measureDatabases(queries: Queries, names: readonly string[]): Promise<Map<string, number>> {
  // A bigint or its text, as the connection reads it.
  const { rows } = await queries.query<{ datname: string; bytes: bigint | string }>(sizesStatement, [names]);
  return new Map(rows.map(({ datname, bytes }) => [datname, Number(bytes)]));
}

interface Size {
  readonly bytes: number;
  readonly freshUntil: number;
}

/**
 * What the databases of one server take on disk, so that a read of a project neither measures it anew nor waits for
 * a server that is away. Sizes are remembered for half a minute, and measured by one statement at a time for all who
 * ask meanwhile. A size that cannot be measured in time is the last known one, or 0.
 */
export class DatabaseSizes {
  readonly #measure: DatabaseSizesOptions['measure'];
  readonly #now: () => number;
  readonly #sizes = new Lru<Size>({ entries: remembered, bytes: Number.MAX_SAFE_INTEGER });
  /** Asked for since the measuring that is under way began. */
  #wanted = new Set<string>();
  #running: { readonly done: Promise<void>; readonly since: number } | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor({ measure, now = () => performance.now() }: DatabaseSizesOptions) {
    this.#measure = measure;
    this.#now = now;
  }

  /** Bytes of each database, in the order given. Never throws. */
  async bytes(names: readonly string[]): Promise<number[]> {
    const now = this.#now();
    const stale = names.filter((name) => !((this.#sizes.get(name)?.freshUntil ?? now) > now));
    if (stale.length > 0 && now >= this.#restsUntil) {
      for (const name of stale) this.#wanted.add(name);
      await this.#soon();
    }
    return names.map((name) => this.#sizes.get(name)?.bytes ?? 0);
  }

  /** Takes note that a database was dropped. */
  gone(name: string): void {
    this.#sizes.set(name, { bytes: 0, freshUntil: this.#now() + freshMs }, 1);
  }

  /** Resolves when everything that is wanted was measured, or when that takes too long. */
  async #soon(): Promise<void> {
    this.#running ??= { done: this.#run(), since: this.#now() };
    const { done, since } = this.#running;
    const left = patienceMs - (this.#now() - since);
    if (left <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, left);
    await Promise.race([done, promise]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    // All who ask in this turn of the loop are in the first batch.
    await new Promise(setImmediate);
    try {
      while (this.#wanted.size > 0) {
        const names = [...this.#wanted].slice(0, batchNames);
        const sizes = await this.#measure(names);
        const freshUntil = this.#now() + freshMs;
        for (const name of names) {
          this.#sizes.set(name, { bytes: sizes.get(name) ?? 0, freshUntil }, 1);
          this.#wanted.delete(name);
        }
      }
    } catch {
      // A later caller asks again, once the server had a rest.
      this.#wanted = new Set();
      this.#restsUntil = this.#now() + restMs;
    } finally {
      this.#running = undefined;
    }
  }
}
