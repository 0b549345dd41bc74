import type { Caller } from './role-turns.ts';
import type { BatchRows, BatchStatement } from './statement-batch.ts';

/** A read on its way: it may be run twice, and no other caller may see anything of it. */
export interface SharedRead {
  readonly statements: readonly BatchStatement[];
  readonly signal: AbortSignal | undefined;
  readonly caller: Caller | undefined;
  readonly resolve: (rows: BatchRows) => void;
  readonly reject: (error: unknown) => void;
  /** Its asker has an answer, or waits for one elsewhere. */
  settled: boolean;
  /** It travels in one transaction with reads that are alike. */
  accompanied: boolean;
}
