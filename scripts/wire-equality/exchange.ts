import type { Side } from './side.ts';

/** Something that is asked of both builds, and answered with a text. */
export interface Exchange {
  /** What differences are gathered under, such as `POST /orgs/v1`. */
  readonly group: string;
  /** What is special about this one. */
  readonly name: string;
  readonly ask: (side: Side) => Promise<string>;
}

/** Exchanges of one surface. Each is asked of both sides before the next one is taken. */
export type Part = (sides: readonly Side[]) => AsyncIterable<Exchange> | Iterable<Exchange>;
