import type { AnyChange, Run } from '../run.ts';
import { once } from './once.ts';
import { perform } from './perform.ts';

/** Runs the handler: a read as often as it is asked for, a change once for each idempotency key. */
export function handle(run: Run): Promise<unknown> {
  const { op, ctx, scope, input } = run;
  return op.kind === 'query' ? op.handler({ ...ctx, ...scope }, input) : once(run as Run<AnyChange>, perform);
}
