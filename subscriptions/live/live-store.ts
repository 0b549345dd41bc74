import type { KeyRing } from '../../core/keys.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import type { ProjectPools } from '../../db/project-pools.ts';
import type { LiveHint } from '../../resolvers/live/live-hub.ts';
import type { LivePosition } from './live-position.ts';
import { parseSnapshot, type Snapshot, snapshotText } from './snapshot.ts';

/** A hint as it is stored. */
export interface StoredHint {
  readonly table: string;
  readonly op: LiveHint['op'];
  /** 0: for everybody, 1: for the owner, 2: for every user. */
  readonly audience: 0 | 1 | 2;
  readonly owner: string | null;
  readonly pk: string | null;
  readonly n: number;
}

/** The state of the database, and the hints that a reader has not got yet. */
export interface LiveReading {
  readonly epoch: string;
  readonly now: Snapshot;
  /** A reader that sees all of this has missed nothing of what is gone; of that, the latest was done by a transaction. */
  readonly pruned: { readonly to: Snapshot; readonly latest: bigint } | undefined;
  /** Raised by every change of the schema. */
  readonly ddlVersion: string;
  /** As many as a page holds; none when too many lie behind. */
  readonly hints: readonly StoredHint[];
  /** How many the position does not see, including those handed on within a page. */
  readonly behind: number;
}

/** More hints than this are not told one by one: it is as many as are kept. */
export const behindMax = 10_000;

/** Most text of keys that is read at once, in bytes; one hint is, however much it has. */
const pageBytesMax = 1_048_576;

/** A table that has its triggers. */
export interface LiveTable {
  /** Whether rows have owners. */
  readonly scoped: boolean;
  /** Transactions that put its triggers there: hints of earlier ones may be missing. */
  readonly born: readonly bigint[];
}

/** Reads and prunes hints, as the login that no tenant can become. */
export class LiveStore {
  readonly #pools: ProjectPools;
  readonly #keys: KeyRing;

  /** @param keys that know the epoch of the installation, for copies that look like their original */
  constructor(pools: ProjectPools, keys: KeyRing) {
    this.#pools = pools;
    this.#keys = keys;
  }

  /**
   * Reads what a position does not see, at most so many hints. All of it, and what is said of the database, is of one
   * moment.
   */
  async read(database: ProjectDatabase, position: LivePosition | undefined, limit: number): Promise<LiveReading> {
    const from = position?.from ?? { xmax: 0n, running: [] };
    const within = position?.within;
    const [rows] = await this.#pools.run(database, [
      {
        name: 'live_read',
        text: readText,
        values: [
          String(from.xmax),
          `{${from.running.join(',')}}`,
          within === undefined ? null : snapshotText(within.to),
          String(within?.told ?? 0),
          String(position === undefined ? 0 : limit),
        ],
      },
    ]);
    const [first, ...hints] = rows!;
    const [now, epoch, prunedTo, ddlVersion, latest, behind] = first!;
    return {
      epoch: [epoch, this.#keys.feedEpoch].filter(Boolean).join('.'),
      now: parseSnapshot(now!),
      pruned: prunedTo === null ? undefined : { to: parseSnapshot(prunedTo!), latest: BigInt(latest!) },
      ddlVersion: ddlVersion!,
      behind: Number(behind),
      hints: hints.map(([table, op, owner, pk, audience, n]) => ({
        table: table!,
        op: op as LiveHint['op'],
        audience: Number(audience) as StoredHint['audience'],
        owner: owner!,
        pk: pk!,
        n: Number(n),
      })),
    };
  }

  /** The tables that are live now. */
  async tables(database: ProjectDatabase): Promise<ReadonlyMap<string, LiveTable>> {
    const [rows] = await this.#pools.run(database, [{ name: 'live_tables', text: tablesText, values: [] }]);
    return new Map(
      rows!.map(([name, scoped, born, xmax]) => [
        name!,
        { scoped: scoped === 't', born: born!.split(',').map((xid) => fullXid(xid, BigInt(xmax!))) },
      ]),
    );
  }

  /** Those of some sessions that have ended. */
  async endedSessions(database: ProjectDatabase, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const [rows] = await this.#pools.run(database, [
      { name: 'live_sessions', text: sessionsText, values: [`{${ids.join(',')}}`] },
    ]);
    return new Set(rows!.map(([id]) => id!));
  }

  /** @returns whether there are hints that may be pruned later */
  async prune(database: ProjectDatabase): Promise<boolean> {
    const [rows] = await this.#pools.run(database, [
      { name: 'live_prune', text: 'select _svc.prune_live()', values: [] },
    ]);
    return rows![0]![0] === 't';
  }
}

/** The catalogs know the lower half of a transaction's number. It is of the past. */
function fullXid(low: string, xmax: bigint): bigint {
  const half = 1n << 32n;
  const xid = (xmax / half) * half + BigInt(low);
  return xid >= xmax && xid >= half ? xid - half : xid;
}

/**
 * The system, the database in it, its timeline, and since when its server has not crashed: copies and restored ones differ
 * by construction. After a crash the numbers of transactions that were aborted just before it are used again, so that
 * what a snapshot from before counts as over may be yet to come.
 */
const epochText = `left(encode(sha256(convert_to(
  (select system_identifier::text from pg_control_system()) || '.'
    || (select oid::text from pg_database where datname = current_database()) || '.'
    || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '.'
    || extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), 'UTF8')), 'hex'), 16)`;

const hintColumns = 'h.xid, h.at, h.part, h.ctid as place, h.tab, h.op, h.owner, h.pk, h.audience, h.n';

/**
 * What a snapshot could not see: the index finds its transactions, however long one of them has been under way. Whoever
 * has more of them before him than are kept is given none. So few can be counted off for each page.
 */
const readText = `
with unseen as materialized (
  select * from (
    select ${hintColumns} from _svc.live_hints h where h.xid >= $1::text::xid8
    union all
    select ${hintColumns} from _svc.live_hints h where h.xid = any($2::text::xid8[])
  ) u
  where $5::text::bigint > 0 and ($3::text is null or pg_visible_in_snapshot(u.xid, $3::text::pg_snapshot))
  limit ${behindMax + 1}
), behind as (select count(*) as n from unseen)
select pg_current_snapshot()::text, ${epochText}, (select pruned_to::text from _svc.live_state),
  (select version::text from _svc.ddl_version), (select pruned_xid::text from _svc.live_state), (select n::text from behind)
union all
(select p.tab, p.op, p.owner, p.pk, p.audience::text, p.n::text from (
    select q.*, row_number() over paged as nth, sum(octet_length(q.pk)) over paged as bytes from (
      select u.at, u.xid, u.part, u.place, u.tab, u.op, u.owner, u.pk::text as pk, u.audience, u.n from unseen u where (select n from behind) <= ${behindMax}
      order by u.at, u.xid, u.part, u.place offset $4::text::bigint limit $5::text::bigint
    ) q window paged as (order by q.at, q.xid, q.part, q.place)
  ) p
  where p.nth = 1 or p.bytes is null or p.bytes <= ${pageBytesMax}
  order by p.nth)`;

const tablesText = `
select t.name, t.scoped, t.born, pg_snapshot_xmax(pg_current_snapshot()) from _svc.live_tables t`;

const sessionsText = `
select i.id from unnest($1::uuid[]) i (id)
where not exists (select from auth.sessions s where s.id = i.id and s.revoked_at is null
  and s.expires_at > now() and s.hard_expires_at > now())`;
