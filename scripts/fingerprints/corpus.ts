import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { OccurrenceKind } from '../../db/schema/errors.ts';
import { fingerprintOf } from '../../engines/fingerprints/fingerprint.ts';

/** How a program was built and run. */
export type Lane = 'node' | 'minified' | 'page';

/** A failure of a program that was run, with what is known of how it was made. */
export interface Trace {
  readonly cause: string;
  readonly lane: Lane;
  readonly kind: OccurrenceKind;
  readonly name?: string;
  readonly message: string;
  readonly stack?: string;
}

export const corpusFile = new URL('corpus.jsonl', import.meta.url);

export async function readCorpus(): Promise<Trace[]> {
  const text = await readFile(corpusFile, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Trace);
}

/** Rules were tuned on one half; what the other half says was not looked at while they were. */
export type Half = 'tuned' | 'scored';

/** By a hash of the cause: all traces of one are in one half. */
export const halfOf = ({ cause }: Pick<Trace, 'cause'>): Half =>
  createHash('sha256').update(cause).digest()[0]! % 2 === 0 ? 'tuned' : 'scored';

export interface Score {
  readonly traces: number;
  readonly causes: number;
  /** Pairs of one cause that got one fingerprint. */
  readonly together: Share;
  /** Pairs of two causes that got two. */
  readonly apart: Share;
  /** Pairs that were judged wrongly. */
  readonly mistakes: readonly Mistake[];
}

interface Share {
  readonly right: number;
  readonly of: number;
  readonly share: number;
}

export interface Mistake {
  readonly should: 'together' | 'apart';
  readonly pair: readonly [Trace, Trace];
}

/**
 * Judges every pair of some traces. Those of one cause that were built or run in different ways are left out: a project
 * is built and run in one way, and a minified program has no names to know a named one by.
 */
export function score(traces: readonly Trace[]): Score {
  const known = traces.map((trace) => ({
    trace,
    id: fingerprintOf({ ...trace, function: 'handler' }).fingerprintId,
  }));
  const mistakes: Mistake[] = [];
  const counts = { together: { right: 0, of: 0 }, apart: { right: 0, of: 0 } };
  for (const [at, left] of known.entries()) {
    for (const right of known.slice(at + 1)) {
      const same = left.trace.cause === right.trace.cause;
      if (same && left.trace.lane !== right.trace.lane) continue;
      const should = same ? 'together' : 'apart';
      const isRight = (left.id === right.id) === same;
      counts[should].of += 1;
      if (isRight) counts[should].right += 1;
      else mistakes.push({ should, pair: [left.trace, right.trace] });
    }
  }
  const shareOf = ({ right, of }: { right: number; of: number }): Share => ({ right, of, share: right / of });
  return {
    traces: traces.length,
    causes: new Set(traces.map(({ cause }) => cause)).size,
    together: shareOf(counts.together),
    apart: shareOf(counts.apart),
    mistakes,
  };
}
