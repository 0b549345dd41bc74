import type { Prefetched } from '../access/access.ts';
import type { Caller } from '../access/caller.ts';
import type { IdempotencyLease } from '../durability/idempotency.ts';
import type { Context } from './context.ts';
import type { AnyMutation, AnyOperation, AnyProjectMutation, AnyStepMutation } from './operation.ts';

/** Operations that change something. */
export type AnyChange = AnyMutation | AnyProjectMutation | AnyStepMutation;

/**
 * One run of an operation on its way through the stages of `execute`. Each stage reads what those before it have found
 * out, and writes what it finds out itself. A class, since one is made for every request.
 */
export class Run<Op extends AnyOperation = AnyOperation> {
  readonly op: Op;
  ctx: Context;
  /** Set by the first stage: as the operation's schema has read it. */
  input: Readonly<Record<string, unknown>> = {};
  /** The project that the input or the scope names; a refusal names the platform's faults attributed to it. */
  projectId: string | undefined;
  caller: Caller = { kind: 'nobody' };
  /** What was asked for the caller before it was known to be one. */
  ahead: Prefetched | undefined;
  /** What the caller was admitted to. */
  scope: object = {};
  /** On the idempotency key; undefined without one. */
  claim: IdempotencyLease | undefined;

  constructor(op: Op, ctx: Context) {
    this.op = op;
    this.ctx = ctx;
  }
}
