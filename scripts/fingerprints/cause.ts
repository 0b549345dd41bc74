import type { OccurrenceKind } from '../../db/schema/errors.ts';

/** A way to fail, as a program that does. */
export interface Cause {
  readonly name: string;
  readonly kind: OccurrenceKind;
  /**
   * A module whose `handler(v)` fails with the values `v` of a run: `v.n` and `v.m` are numbers, `v.uuid`, `v.id`,
   * `v.hex`, `v.email`, `v.ip`, `v.port`, `v.date`, `v.word`, `v.text` and `v.path` are what they are called, and
   * `v.odd` is true in every second run.
   */
  readonly source: string;
  /** Whether it runs in a page, too. */
  readonly browser?: true;
}

export const uncaught = (name: string, source: string): Cause => ({ name, kind: 'uncaught', source });
/** One that needs nothing but the language. */
export const anywhere = (name: string, source: string): Cause => ({ ...uncaught(name, source), browser: true });
export const boot = (name: string, source: string): Cause => ({ name, kind: 'boot_crash', source });
export const failed = (name: string, source: string): Cause => ({ name, kind: 'invoke_failed', source });
