import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import { isUuid } from '../core/ids.ts';
import { textFault } from '../core/text.ts';
import type { Database, Statement } from '../db/pool.ts';
import { sessions } from '../db/schema/identity.ts';
import { delegates, projectGrants } from '../db/schema/projects.ts';
import { textOf } from '../db/sql.ts';
import type { AuthorityEntry, AuthorityLoss, AuthorityWatch } from '../kernel/access/authority-watch.ts';
import { type Action, capabilities, rolesFrom } from '../kernel/access/permissions.ts';
import { grantHolds, hasProjectGrant, hasRoomGrant, isMember, isMemberIn, roomStands } from '../kernel/access/rules.ts';
import { sessionStands } from '../resolvers/identity/shared/session-stands.ts';
import { localSignals, type Signals } from './signals.ts';

/** The watch with what its owner needs besides. */
export interface RunningAuthorityWatch extends AuthorityWatch {
  /** Looks now. Resolves when a look that began after the call is done, whatever came of it. */
  recheck(): Promise<void>;
  close(): void;
}

export interface AuthorityWatchOptions {
  readonly db: Database;
  readonly log: Logger;
  /** Carries the news of changes between nodes. @default within this watch alone */
  readonly signals?: Signals;
  /** How long a lost right may go unnoticed, in milliseconds. @default 5_000 */
  readonly everyMs?: number;
}

/** Keys of these signals; the rest is the id of an organization or a principal. */
const signalPrefix = 'authority:';

/** All that rest on the same right. */
interface Group {
  readonly key: string;
  readonly entry: AuthorityEntry;
  readonly watchers: Set<Watcher>;
}

interface Watcher {
  readonly expiresAt: Date | null;
  readonly lose: (reason: AuthorityLoss) => void;
  readonly stop: () => void;
}

/** What the statement answers: what is lost, or nothing, each time with the database's clock. */
interface Looked {
  readonly index: number | null;
  readonly now: Date;
}

/**
 * Ends what no longer has a right to go on: one statement per node and interval, however many watch. What has expired
 * is decided by the database's clock, as everything else: this node's only says when it may be worth a look.
 */
export function createAuthorityWatch({
  db,
  log,
  signals = localSignals(),
  everyMs = 5_000,
}: AuthorityWatchOptions): RunningAuthorityWatch {
  const groups = new Map<string, Group>();
  let timer: NodeJS.Timeout | undefined;
  /** When the timer rings, on the monotonic clock. */
  let ringsAt = 0;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failing = false;
  let closed = false;
  const stopListening = signals.onSignal((key) => {
    if (!key.startsWith(signalPrefix)) return;
    const id = key.slice(signalPrefix.length);
    for (const { entry } of groups.values()) {
      if (entry.orgId === id || entry.principalId === id) return void recheck();
    }
  });

  /** Has a look taken after some time, or after the usual one if that is shorter. */
  function schedule(afterMs: number): void {
    if (closed || groups.size === 0) return;
    const ms = Math.min(Math.max(afterMs, 0), everyMs);
    const at = performance.now() + ms;
    if (timer !== undefined && ringsAt <= at) return;
    clearTimeout(timer);
    ringsAt = at;
    timer = setTimeout(() => {
      timer = undefined;
      void recheck().then(() => schedule(everyMs));
    }, ms).unref();
  }

  function recheck(): Promise<void> {
    // A look that is underway may have missed what the caller knows of; all who come meanwhile share the one after it.
    if (running !== undefined) {
      next ??= running.then(() => {
        next = undefined;
        return recheck();
      });
      return next;
    }
    running = look().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function look(): Promise<void> {
    // Who joins while the statement runs is looked at next time: the answer may be older than their right.
    const asked = [...groups.values()].map(({ entry, watchers }) => ({ entry, watchers: [...watchers] }));
    if (asked.length === 0 || closed) return;
    try {
      const lost = await db.rows<Looked>(lostStatement, columnsOfEntries(asked.map(({ entry }) => entry)));
      if (failing) log.info('the rights of open subscriptions are checked again');
      failing = false;
      for (const { index } of lost)
        if (index !== null) for (const watcher of asked[index]!.watchers) watcher.lose('revoked');
      const now = lost[0]!.now.getTime();
      let next = Number.POSITIVE_INFINITY;
      for (const watcher of asked.flatMap(({ watchers }) => watchers)) {
        const left = watcher.expiresAt === null ? Number.POSITIVE_INFINITY : watcher.expiresAt.getTime() - now;
        if (left <= 0) watcher.lose('expired');
        else next = Math.min(next, left);
      }
      schedule(next);
    } catch (error) {
      // An outage is no reason to throw everybody out. Who comes back would not be let in before it is over.
      if (!failing) log.warn({ err: error }, 'the rights of open subscriptions cannot be checked; trying again');
      failing = true;
    }
  }

  return {
    watch: (entry, onLost) => {
      requireStorable(entry);
      const key = JSON.stringify(columnsOfEntries([entry]));
      const group = groups.get(key) ?? { key, entry, watchers: new Set() };
      groups.set(key, group);
      const stop = () => {
        group.watchers.delete(watcher);
        if (group.watchers.size === 0 && groups.get(group.key) === group) groups.delete(group.key);
        if (groups.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
      const lose = (reason: AuthorityLoss) => {
        if (!group.watchers.has(watcher)) return;
        stop();
        try {
          onLost(reason);
        } catch (error) {
          log.error({ err: error }, 'a subscription that lost its right could not be ended');
        }
      };
      const { expiresAt } = entry;
      const watcher: Watcher = { expiresAt, lose, stop };
      group.watchers.add(watcher);
      schedule(expiresAt === null ? everyMs : expiresAt.getTime() - Date.now());
      return stop;
    },
    holds: async (entry) => {
      requireStorable(entry);
      const [looked] = await db.rows<Looked>(lostStatement, columnsOfEntries([entry]));
      const { index, now } = looked!;
      return index === null && (entry.expiresAt === null || entry.expiresAt > now);
    },
    changed: (id) => {
      try {
        signals.publish(signalPrefix + id, 0n);
      } catch (error) {
        // The change is committed, and the next look finds it.
        log.warn({ err: error }, 'a signal could not be sent');
      }
    },
    recheck,
    close: () => {
      closed = true;
      stopListening();
      clearTimeout(timer);
      for (const { watchers } of groups.values()) for (const { stop } of watchers) stop();
    },
  };
}

/** In a batch, one value that no column can hold would fail the check for everybody. */
function requireStorable({ orgId, delegateId, roomKey = '', inProject }: AuthorityEntry): void {
  const texts = [roomKey, inProject?.id ?? ''];
  if (!isUuid(orgId) || (delegateId !== null && !isUuid(delegateId)) || texts.some((text) => textFault(text))) {
    throw new TypeError('This names nothing that a database could hold.');
  }
}

/** The parameters of the statement: one array per column. */
const columnsOfEntries = (entries: readonly AuthorityEntry[]) => [
  entries.map(({ orgId }) => orgId),
  entries.map(({ principalId }) => principalId),
  entries.map(({ roomKey }) => roomKey ?? null),
  entries.map(({ sessionId }) => sessionId),
  entries.map(({ delegateId }) => delegateId),
  entries.map(({ projectKeyProjectId }) => projectKeyProjectId),
  entries.map(({ delegateTokenHash }) => delegateTokenHash ?? null),
  entries.map(({ inProject }) => inProject?.id ?? null),
  // Arrays of arrays would have to be of one length.
  entries.map(({ inProject }) => (inProject ? rolesFrom(inProject.action.role).join(',') : null)),
  entries.map(({ inProject }) => (inProject ? capabilitiesFor(inProject.action) : null)),
];

/** Capabilities of a grant that suffice for an action, written `read,deploy`; null when none does. */
function capabilitiesFor({ grants }: Action): string | null {
  return grants === undefined ? null : (grants === 'any' ? capabilities : grants).join(',');
}

// `is not true`: what cannot be decided is lost. One row at least, for the clock.
const lostStatement: Statement = {
  name: 'authority.lost',
  text: `select lost.index, now() as now from (select) clock left join (
    select (e.number - 1)::int as index
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::text[],
        $7::text[], $8::text[], $9::text[], $10::text[]) with ordinality
      as e (org_id, principal_id, room_key, session_id, delegate_id, key_project_id, delegate_token_hash, project_id,
        roles, capabilities, number)
    where (
      exists (select from orgs o where o.id = e.org_id)
      and (e.principal_id is null or exists (
        select from principals p where p.id = e.principal_id and p.disabled_at is null))
      and (e.session_id is null or exists (
        select from sessions s where s.id = e.session_id and ${textOf(sessionStands(alias(sessions, 's')))}))
      and (e.project_id is null or exists (
        select from projects p where p.org_id = e.org_id and p.id = e.project_id and p.deleted_at is null))
      and case
        when e.delegate_id is not null then exists (
          select from delegates d
          join project_grants g on g.org_id = d.org_id and g.id = d.grant_id
          join projects p on p.org_id = d.org_id and p.id = d.project_id
          where d.org_id = e.org_id and d.id = e.delegate_id and ${textOf(grantHolds(alias(delegates, 'd')))} and ${textOf(grantHolds(alias(projectGrants, 'g')))}
            and p.deleted_at is null and (e.delegate_token_hash is null or d.token_hash = e.delegate_token_hash))
        when e.key_project_id is not null then exists (
          select from projects p where p.org_id = e.org_id and p.id = e.key_project_id and p.deleted_at is null)
        when e.principal_id is not null and e.roles is not null then ${textOf(isMemberIn(sql.raw('e.org_id'), sql.raw('e.principal_id'), sql.raw('e.roles')))}
          or (e.capabilities is not null
            and ${textOf(hasProjectGrant(sql.raw('e.org_id'), sql.raw('e.principal_id'), sql.raw('e.project_id'), sql.raw('e.capabilities')))})
        when e.principal_id is not null then ${textOf(isMember(sql.raw('e.org_id'), sql.raw('e.principal_id')))}
          or (e.room_key is not null and ${textOf(hasRoomGrant(sql.raw('e.org_id'), sql.raw('e.principal_id'), sql.raw('e.room_key')))})
        else true
      end
      and (e.room_key is null or ${textOf(roomStands(sql.raw('e.org_id'), sql.raw('e.room_key')))})
    ) is not true
    ) lost on true`,
};
