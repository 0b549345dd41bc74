import type { KeyRing } from '../core/keys.ts';
import type { Asked, ConnectionCheck } from './connection-check.ts';
import { notPrimary } from './connection-loss.ts';
import { sql } from './drizzle.ts';
import type { Database } from './pool.ts';
import { platformFacts } from './schema/platform.ts';
import { computed, statement, typed } from './sql.ts';

/** The row of the control database that names the restore that filled it. */
export const restoredFact = 'restored_backup';

/** The row that names the epoch of feeds, and the history of the database that the epoch belongs to. */
const epochFact = 'feed_epoch';

/**
 * The system, the database in it and its timeline: a standby that is promoted and a recovery to a point in time begin a
 * timeline, another server is another system. Null on a standby, which has no timeline of its own. The checkpoint names a
 * new timeline only some time after a promotion, so this asks for the name of the log that is being written.
 */
const historyText = `case when pg_catalog.pg_is_in_recovery() then null else
  (select system_identifier::text from pg_catalog.pg_control_system()) || '.'
    || (select oid::text from pg_catalog.pg_database where datname = pg_catalog.current_database()) || '.'
    || pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8) end`;

/** The name of the epoch: the restore that filled the database, and what has begun since. Empty on most databases. */
const epochText = `pg_catalog.concat_ws('.',
  (select value->>'epoch' from public.platform_facts where key = '${restoredFact}'),
  (select nullif(value->>'epoch', '') from public.platform_facts where key = '${epochFact}'))`;

/**
 * The history that the database is of, the one that its epoch belongs to, and that epoch. After two recoveries to one point
 * the first is the same, and the others are not.
 */
const checkText = `select ${historyText} || '|'
  || coalesce((select value->>'history' from public.platform_facts where key = '${epochFact}'), '') || '|'
  || ${epochText} as history`;

async function ask(client: Asked): Promise<string | null> {
  const { rows } = await client.query<{ history: string | null }>(checkText);
  return rows[0]!.history;
}

function partsOf(history: string | null): readonly [own: string, stored: string, epoch: string] {
  if (history === null)
    throw Object.assign(new Error('The server of the control database is a standby.'), { code: notPrimary });
  return history.split('|') as [string, string, string];
}

/**
 * Keeps the epoch of feeds. Positions of feeds are given out again when the control database loses its latest commits, by
 * a failover to a standby that lagged, a recovery to a point in time, or a restore. Cursors of another epoch are not good,
 * so that their holders start over and miss nothing.
 *
 * Every new connection says which history it belongs to, at no cost for requests. One of another history begins an epoch
 * of a random name in the database, once for all nodes.
 */
export class FeedEpoch implements ConnectionCheck {
  readonly text = checkText;
  readonly #keys: KeyRing;
  /** The latest answer. Undefined until {@link begin}. */
  #history: string | undefined;
  /** How many questions were asked, and which of them the epoch is known from: an answer that comes late is an older one. */
  #asked = 0;
  #known = 0;

  /** @param keys that seal cursors of feeds */
  constructor(keys: KeyRing) {
    this.#keys = keys;
  }

  /** Looks for the first time. The first start on a database begins no epoch: cursors from before stay good. */
  async begin(client: Asked): Promise<void> {
    await this.admit(await ask(client), client);
  }

  isCurrent(history: string | null): boolean {
    return this.#history === undefined || history === this.#history;
  }

  async admit(history: string | null, client: Asked): Promise<void> {
    const [own, stored] = partsOf(history);
    if (own !== stored) await client.query(settleText, [epochFact, own]);
    const asked = ++this.#asked;
    const settled = await ask(client);
    const [, , epoch] = partsOf(settled);
    this.#history = settled!;
    this.#learn(asked, epoch);
  }

  /** Takes over an epoch that this node has begun. */
  begun(epoch: string): void {
    this.#learn(++this.#asked, epoch);
  }

  /** Takes over an epoch that another node has begun. */
  async refresh(db: Pick<Database, 'rows'>): Promise<void> {
    const before = this.#history;
    const asked = ++this.#asked;
    const [row] = await db.rows(epochStatement.with({}));
    // A connection of another history that was made meanwhile knows better.
    if (this.#history === before) this.#learn(asked, row!.epoch);
  }

  #learn(asked: number, epoch: string): void {
    if (asked < this.#known) return;
    this.#known = asked;
    this.#keys.feedEpoch = epoch;
  }
}

const settleText = `insert into public.platform_facts as f (key, value)
  values ($1, pg_catalog.jsonb_build_object('history', $2::text, 'epoch', ''))
  on conflict (key) do update
    set value = pg_catalog.jsonb_build_object('history', $2::text, 'epoch', pg_catalog.gen_random_uuid())
    where f.value->>'history' is distinct from $2::text`;

/** The epoch now. */
export const epochStatement = statement(
  'feed_epoch.find',
  { row: { epoch: computed<string>('text', sql.raw(epochText)) } },
  (_none, row) => sql`select ${row}`,
);

/** Begins an epoch, whatever the history: for a copy, which looks like its original. */
export const beginEpochStatement = statement(
  'feed_epoch.begin',
  {
    params: { epoch: typed<string>('text') },
    row: { begunAt: computed<Date>('timestamp with time zone', sql`now()`) },
  },
  ({ epoch }, row) => sql`update ${platformFacts}
    set value = ${platformFacts.value} || jsonb_build_object('epoch', ${epoch}::text)
    where ${platformFacts.key} = ${sql.raw(`'${epochFact}'`)} returning ${row}`,
);
