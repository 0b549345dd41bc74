import { randomBytes } from 'node:crypto';
import { Lru } from '../../core/lru.ts';

/** What one caller may have laid by at a time, and for how long. Contract 04, section 4.1. */
const perOwner = 32;
const keptMs = 30 * 60_000;

/** What is kept for all callers of a node together. */
const bounds = { entries: 10_000, bytes: 32 * 1024 * 1024 };

interface Kept {
  readonly ref: string;
  readonly text: string;
  readonly until: number;
}

/** Long lists whose beginning was shown, each for whoever was shown it. */
export interface ResultShelf {
  /** @returns a reference to read it on by */
  readonly keep: (owner: string, items: readonly unknown[], now: Date) => string;
  readonly find: (owner: string, ref: string, now: Date) => readonly unknown[] | undefined;
}

export function createResultShelf(): ResultShelf {
  const owners = new Lru<readonly Kept[]>(bounds);
  const standing = (owner: string, now: Date) => (owners.get(owner) ?? []).filter(({ until }) => until > now.getTime());
  return {
    keep(owner, items, now) {
      const kept = {
        ref: `res_${randomBytes(8).toString('hex')}`,
        text: JSON.stringify(items),
        until: now.getTime() + keptMs,
      };
      const all = [...standing(owner, now), kept].slice(-perOwner);
      owners.set(
        owner,
        all,
        all.reduce((sum, { text }) => sum + text.length * 2, 0),
      );
      return kept.ref;
    },
    find(owner, ref, now) {
      const kept = standing(owner, now).find((one) => one.ref === ref);
      return kept === undefined ? undefined : (JSON.parse(kept.text) as unknown[]);
    },
  };
}
