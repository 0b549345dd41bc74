import type { Logger } from 'pino';
import { ServiceError } from '../../core/errors.ts';
import type { KeyRing } from '../../core/keys.ts';
import { isConnectionLoss } from '../../db/connection-loss.ts';
import type { Database } from '../../db/pool.ts';
import type { ProjectDatabase, ProjectDatabases } from '../../db/project-databases.ts';
import { ProjectPoolBusyError, type ProjectPools } from '../../db/project-pools.ts';
import { ProjectUnreachableError } from '../../db/project-session.ts';
import { Turns } from '../../db/turns.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import type { LiveHub, LiveRequest, LiveSubscription } from '../../resolvers/live/live-hub.ts';
import type { Signals } from '../signals.ts';
import { type TailEntry, Tails } from '../tails.ts';
import { LiveLeases } from './live-leases.ts';
import { admitTables, LiveMember } from './live-member.ts';
import { livePosition } from './live-position.ts';
import { LiveStore } from './live-store.ts';
import { LiveTail } from './live-tail.ts';

export interface LiveHubOptions {
  readonly db: Database;
  readonly keys: KeyRing;
  readonly log: Logger;
  readonly signals: Signals;
  readonly databases: Pick<ProjectDatabases, 'insertedRows'>;
  /** Into project databases as the login that reads hints and sessions. */
  readonly pools: ProjectPools;
  /** Those of some projects that are still there to be followed. */
  readonly standing: (projectIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Those of some credentials of projects that hold. */
  readonly standingCredentials: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The clock that access tokens are verified by; whether a session is alive is asked of its database's. */
  readonly now: () => Date;
  /** How often the servers are asked whether anything was written, in milliseconds. @default 1_000 */
  readonly backstopMs?: number;
  /** How often sessions are looked at, in milliseconds. @default 5_000 */
  readonly watchMs?: number;
}

export interface RunningLiveHub extends LiveHub {
  /** How many follow on this node, by the name of the database. */
  followed(): (readonly [databaseName: string, followers: number])[];
  close(): Promise<void>;
}

const signalPrefix = 'live:';

/** Other nodes hear of a busy project so often at most, in milliseconds. */
const publishMs = 10;

/** How long a tail without followers is kept, in milliseconds: a client that polls comes back. */
const lingerMs = 30_000;

/** So many projects are looked at at once: one that does not answer holds up few. */
const projectsAtOnce = 4;

/** Hints are pruned after so many looks at sessions. */
const pruneEvery = 2;

/** Reads each project's hints once for all who follow them here. */
export function createLiveHub(options: LiveHubOptions): RunningLiveHub {
  const {
    db,
    keys,
    log,
    signals,
    databases,
    pools,
    standing,
    standingCredentials,
    now,
    backstopMs = 1_000,
    watchMs = 5_000,
  } = options;
  const store = new LiveStore(pools, keys);
  const leases = new LiveLeases({ db, log });
  const tails = new Tails<LiveTail>({
    lingerMs,
    onEmpty: () => {
      clearInterval(backstop);
      clearInterval(watch);
      backstop = watch = undefined;
    },
  });
  /** Databases whose news went out a moment ago; true: there is more. */
  const published = new Map<string, boolean>();
  let backstop: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;
  let looks = 0;
  let seekingGone = false;
  let seekingRevoked = false;
  /** Projects whose database has yet to answer. */
  const lookedAt = new Set<LiveTail>();
  const turns = new Turns(projectsAtOnce);
  /** Servers that have yet to answer. */
  const asking = new Set<string>();
  let closed = false;
  const stopListening = signals.onSignal((key) => {
    if (key.startsWith(signalPrefix)) tails.get(key.slice(signalPrefix.length))?.wake();
  });

  function changed({ databaseName }: Pick<ProjectDatabase, 'databaseName'>): void {
    if (closed) return;
    if (published.has(databaseName)) {
      tails.get(databaseName)?.wake();
      published.set(databaseName, true);
      return;
    }
    publish(databaseName);
  }

  function publish(databaseName: string): void {
    published.set(databaseName, false);
    setTimeout(() => {
      const more = published.get(databaseName);
      published.delete(databaseName);
      if (more === true && !closed) publish(databaseName);
    }, publishMs).unref();
    try {
      signals.publish(signalPrefix + databaseName, 0n);
    } catch (error) {
      // The change is committed; other nodes find it a moment later.
      log.warn({ err: error }, 'a signal could not be sent');
    }
  }

  function enter(target: ProjectTarget): TailEntry<LiveTail> {
    const entry = tails.enter(target.database.databaseName, () => new LiveTail({ target, store, keys, log }));
    backstop ??= setInterval(() => void lookAround(), backstopMs).unref();
    watch ??= setInterval(() => void lookAfter(), watchMs).unref();
    return entry;
  }

  /** One statement for each server: what no signal told is found this way. */
  async function lookAround(): Promise<void> {
    const byServer = Map.groupBy(tails.entries(), ({ tail }) => tail.target.database.server);
    await Promise.all(
      [...byServer].map(async ([server, inside]) => {
        if (asking.has(server)) return;
        asking.add(server);
        try {
          const counts = await databases.insertedRows(
            server,
            inside.map(({ key }) => key),
          );
          for (const { key, tail, followers } of inside) {
            const count = counts.get(key);
            if (count === tail.inserted && keys.feedEpoch === tail.epoch) continue;
            tail.inserted = count;
            tail.epoch = keys.feedEpoch;
            if (followers > 0) tail.wake();
          }
        } catch (error) {
          // Each tail tells for itself what cannot be read.
          log.debug({ err: error, server }, 'a server cannot be asked for what was written');
        } finally {
          asking.delete(server);
        }
      }),
    );
  }

  /** Ends those who have lost their right, and forgets what is long past. */
  async function lookAfter(): Promise<void> {
    looks += 1;
    const pruning = looks % pruneEvery === 0;
    const all = [...tails.entries()].map(({ tail }) => tail);
    for (const tail of all) endExpired(tail, now());
    await endGone(all.filter(({ members }) => members.size > 0));
    await endRevoked(all);
    await Promise.all(all.map((tail) => lookAtProject(tail, pruning)));
  }

  /** One statement for all projects. */
  async function endGone(followed: readonly LiveTail[]): Promise<void> {
    if (followed.length === 0 || seekingGone) return;
    seekingGone = true;
    try {
      const left = await standing(followed.map(({ target }) => target.projectId));
      for (const { target, members } of followed)
        if (!left.has(target.projectId)) for (const member of [...members]) member.end('project_gone');
    } catch (error) {
      // An outage is no reason to throw everybody out.
      log.debug({ err: error }, 'whether projects that are followed still stand cannot be found out');
    } finally {
      seekingGone = false;
    }
  }

  /** One statement for all credentials by which projects are followed. */
  async function endRevoked(all: readonly LiveTail[]): Promise<void> {
    const asked = all.flatMap(({ members }) =>
      [...members].flatMap((member) => {
        const id = member.identity.kind === 'user' ? undefined : member.identity.credentialId;
        return id === undefined ? [] : [{ member, id }];
      }),
    );
    if (asked.length === 0 || seekingRevoked) return;
    seekingRevoked = true;
    try {
      const left = await standingCredentials([...new Set(asked.map(({ id }) => id))]);
      for (const { member, id } of asked) if (!left.has(id)) member.end('credential_ended');
    } catch (error) {
      log.debug({ err: error }, 'whether credentials of followers still hold cannot be found out');
    } finally {
      seekingRevoked = false;
    }
  }

  async function lookAtProject(tail: LiveTail, pruning: boolean): Promise<void> {
    if (lookedAt.has(tail)) return;
    lookedAt.add(tail);
    try {
      await turns.take(async () => {
        await endSignedOut(tail);
        if (pruning && tail.active) tail.active = await store.prune(tail.target.database);
      });
    } catch (error) {
      log.debug({ err: error, project_id: tail.target.projectId }, 'a project that is followed cannot be looked at');
    } finally {
      lookedAt.delete(tail);
    }
  }

  async function endSignedOut({ target, members }: LiveTail): Promise<void> {
    const asked = [...members].flatMap((member) =>
      member.identity.kind === 'user' ? [{ member, session: member.identity.sessionId }] : [],
    );
    if (asked.length === 0) return;
    const ended = await store.endedSessions(target.database, [...new Set(asked.map(({ session }) => session))]);
    for (const { member, session } of asked) if (ended.has(session)) member.end('session_ended');
  }

  async function open({
    target,
    identity,
    tables,
    cursor,
    counted,
    waits = false,
  }: LiveRequest): Promise<LiveSubscription> {
    if (closed) throw new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 1 });
    const asked = cursor === undefined ? undefined : livePosition(keys, target.projectId, cursor);
    const entry = enter(target);
    let giveBack: (() => void) | undefined;
    let member: LiveMember | undefined;
    try {
      const { tail } = entry;
      return await reached(async () => {
        // Among other followers, a waiting client joins them: what it missed is known, and what comes wakes them all.
        const joins = waits && entry.followers > 1;
        if (joins) await tail.settled();
        if (!(joins && asked !== undefined && tail.isAfter(asked))) await tail.advance();
        admitTables(identity, tables, tail.tables);
        if (counted) giveBack = await leases.take(target.projectId, limitsOf(target).liveConnectionsPerProject);
        // Joined between two pages, it would have to read half of what lies between two moments.
        while (tail.position.within !== undefined) await tail.advance();
        admitTables(identity, tables, tail.tables);
        const onClosed = () => {
          giveBack?.();
          tails.leave(entry);
        };
        member = new LiveMember({ tail, store, keys, log, identity, tables, onClosed });
        if (cursor !== undefined) await member.resume(cursor, asked);
        return member;
      });
    } catch (error) {
      if (member !== undefined) member.close();
      else {
        giveBack?.();
        tails.leave(entry);
      }
      throw error;
    }
  }

  return {
    changed,
    open,
    followed: () => tails.followed().map(({ key, followers }) => [key, followers] as const),
    prune: async (database) => void (await store.prune(database)),
    close: async () => {
      closed = true;
      stopListening();
      clearInterval(backstop);
      clearInterval(watch);
      tails.close();
      await leases.close();
    },
  };
}

/** Those whose token is over, by the clock that let them in: by another, they would be let in and ended in turns. */
function endExpired({ members }: LiveTail, now: Date): void {
  for (const member of [...members]) {
    const { identity } = member;
    if (identity.expiresAt != null && identity.expiresAt <= now)
      member.end(identity.kind === 'user' ? 'token_expired' : 'credential_ended');
  }
}

async function reached<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProjectPoolBusyError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 1, cause: error });
    if (error instanceof ProjectUnreachableError || isConnectionLoss(error))
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { cause: error });
    throw error;
  }
}
