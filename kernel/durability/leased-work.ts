import { setTimeout as sleep } from 'node:timers/promises';
import { safeMessage } from '../../core/safe-message.ts';
import type { Context, Services } from '../run/context.ts';
import type { LeasedItem, LeasedStatements } from './leased-statements.ts';

/** Work on leased rows, as domains tell it of something. */
export interface LeasedWork {
  /** Something may be due. Returns at once, and never throws. */
  readonly wake: () => void;
  /** Ends the work on a row here, because it was cancelled. Other nodes find out when they renew. */
  readonly abort: (id: string) => void;
}

/** How nodes work on rows of one kind. */
export interface LeasedKind {
  readonly statements: LeasedStatements;
  /**
   * Does what a row waits for, and writes the outcome under its lease. What it throws is logged, and the row is taken again
   * when its lease is over.
   *
   * @param ctx of background work; its signal is aborted when the row was taken over or cancelled, or the node stops
   */
  readonly run: (ctx: Context, item: LeasedItem) => Promise<void>;
  /** Rows that a node works on at a time, and of one lane. */
  readonly atOnce: number;
  readonly perLane: number;
  /** How often leases are renewed, in milliseconds: a third of them at most. */
  readonly renewMs: number;
}

/** How often a node looks by itself for what is due, in milliseconds: as often as it looks for jobs. */
const pollMs = 2_000;

/** How long work under way may take to end when the server stops, in milliseconds; then it is aborted, and told so. */
const stopMs = 2_000;
const abortMs = 1_000;

interface Held extends LeasedItem {
  readonly aborting: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Works on leased rows of one node: takes what is due, turn by turn between lanes, renews the leases of what is under way,
 * and stops working on what it has lost.
 *
 * @param contextOf the context of background work, which ends with the signal
 */
export function startLeasedWork(
  { statements, run, atOnce, perLane, renewMs }: LeasedKind,
  { db: { rows }, log }: Pick<Services, 'db' | 'log'>,
  contextOf: (signal: AbortSignal) => Context,
): LeasedWork & { readonly stop: () => Promise<void> } {
  const held = new Map<string, Held>();
  let stopping = false;
  let wanted = false;
  let filling: Promise<void> | undefined;
  /** The lane whose turn was last. */
  let after = '';

  function begin(item: LeasedItem): void {
    const aborting = new AbortController();
    const ended = run(contextOf(aborting.signal), item)
      .catch((error: unknown) => {
        if (!aborting.signal.aborted)
          log.warn({ id: item.id, error: safeMessage(error) }, 'Leased work waits for the end of its lease.');
      })
      .finally(() => {
        held.delete(item.lease);
        wake();
      });
    held.set(item.lease, { ...item, aborting, ended });
  }

  /** Rows of each lane that are in the hands of this node. */
  function busyLanes(): { readonly busy: string[]; readonly busyCounts: number[] } {
    const counts = new Map<string, number>();
    for (const { lane } of held.values()) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    return { busy: [...counts.keys()], busyCounts: [...counts.values()] };
  }

  /** Takes rows until this node has its hands full, or a whole round over the lanes has found none. */
  async function takeDue(): Promise<void> {
    const [looked] = await rows(statements.anyDue.with({}));
    let untilEnd = looked!.due ? 2 : 0;
    while (untilEnd > 0 && !stopping) {
      const count = atOnce - held.size;
      if (count <= 0) return;
      const answer = await rows(statements.take.with({ after, count, perLane, ...busyLanes() }));
      const taken = answer.filter((one): one is typeof one & LeasedItem => one.id !== null);
      for (const { id, lane, lease } of taken) begin({ id, lane, lease });
      if (taken.length === count) {
        after = taken.at(-1)!.lane;
        continue;
      }
      after = answer[0]!.lastLane ?? '';
      // The first round may have begun in the middle.
      if (taken.length > 0) untilEnd = 2;
      else if (after === '') untilEnd -= 1;
    }
  }

  async function fill(): Promise<void> {
    while (wanted && !stopping) {
      wanted = false;
      try {
        await takeDue();
      } catch (error) {
        // The database is away: the next look finds what is due.
        if (!stopping) log.debug({ error: safeMessage(error) }, 'Leased work could not be looked for.');
      }
    }
  }

  function wake(): void {
    wanted = true;
    if (stopping) return;
    filling ??= fill().finally(() => {
      filling = undefined;
      if (wanted && !stopping) wake();
    });
  }

  async function renew(): Promise<void> {
    const mine = [...held.values()];
    if (mine.length === 0) return;
    const kept = await rows(
      statements.renew.with({ ids: mine.map(({ id }) => id), leases: mine.map(({ lease }) => lease) }),
    );
    const ids = new Set(kept.map(({ id }) => id));
    for (const { id, aborting } of mine) if (!ids.has(id)) aborting.abort();
  }

  const polling = setInterval(wake, pollMs);
  const renewing = setInterval(() => void renew().catch(() => undefined), renewMs);
  polling.unref();
  renewing.unref();
  wake();

  return {
    wake,
    abort(id) {
      for (const one of held.values()) if (one.id === id) one.aborting.abort();
    },
    async stop() {
      stopping = true;
      clearInterval(polling);
      const ended = () => Promise.all([filling, ...[...held.values()].map((one) => one.ended)]);
      await Promise.race([ended(), sleep(stopMs, undefined, { ref: false })]);
      for (const { aborting } of held.values()) aborting.abort();
      await Promise.race([ended(), sleep(abortMs, undefined, { ref: false })]);
      clearInterval(renewing);
    },
  };
}
