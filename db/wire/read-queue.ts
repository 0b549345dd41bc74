import { SmallReads } from './reads-alike.ts';
import type { SharedRead } from './shared-read.ts';

/** A connection that carries reads. */
export interface ReadConnection {
  readonly underWay: number;
  /** Whether it takes further ones. */
  readonly isOpen: boolean;
  send(reads: readonly SharedRead[]): void;
}

/** The reads of one project. */
export interface ReadQueue {
  /** Not sent yet. */
  waiting: SharedRead[];
  readonly connections: Set<ReadConnection>;
  opening: boolean;
  flushing: boolean;
  /** Until when each read has a connection to itself, since a recent one took long. */
  apartUntil: number;
  /** What may share a transaction. */
  readonly small: SmallReads;
}

export const emptyQueue = (): ReadQueue => ({
  waiting: [],
  connections: new Set(),
  opening: false,
  flushing: false,
  apartUntil: 0,
  small: new SmallReads(),
});

/** Whether anything is under way. */
export const isAsked = ({ waiting, connections, opening, flushing }: ReadQueue): boolean =>
  waiting.length > 0 || connections.size > 0 || opening || flushing;
