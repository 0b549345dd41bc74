import type { Caller } from '../role-turns.ts';
import type { BatchRows, BatchStatement } from './batch.ts';
import { PendingRead } from './pending-read.ts';

/** A read of a project: no other caller may see anything of it. */
export interface ProjectRead {
  readonly statements: readonly BatchStatement[];
  readonly signal: AbortSignal | undefined;
  readonly caller: Caller | undefined;
}

/** A {@link ProjectRead} on its way. */
export class SharedRead extends PendingRead<BatchRows> implements ProjectRead {
  readonly statements: readonly BatchStatement[];
  readonly signal: AbortSignal | undefined;
  readonly caller: Caller | undefined;
  readonly #alone: (read: ProjectRead) => Promise<BatchRows>;

  /** @param alone runs it on a connection of its own */
  constructor(
    { statements, signal, caller }: ProjectRead,
    alone: (read: ProjectRead) => Promise<BatchRows>,
    resolve: (rows: BatchRows) => void,
    reject: (error: unknown) => void,
  ) {
    super(resolve, reject);
    this.statements = statements;
    this.signal = signal;
    this.caller = caller;
    this.#alone = alone;
  }

  protected override askElsewhere(): Promise<BatchRows> {
    return this.#alone(this);
  }
}
