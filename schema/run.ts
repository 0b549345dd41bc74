import type { z } from 'zod';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import type { Operation } from '../kernel/run/operation.ts';
import { camelCase } from './input-forms.ts';
import { forgetLoaded } from './loader.ts';

/**
 * Executes an operation for a field: refusals name inputs as the graph's arguments are spelt. After a change nothing
 * that was loaded before it answers any more: mutations of one document run one after the other.
 *
 * @param names of arguments that are more than the camel case of an input's name
 */
export function run<Input extends z.ZodObject, Scope, Output, Wire>(
  op: Operation<Input, Scope, Output, Wire>,
  ctx: Context,
  input: z.input<Input>,
  names: { readonly [Name in keyof z.input<Input>]?: string } = {},
): Promise<Output> {
  const result = execute(op, ctx, input, (name) => names[name as keyof typeof names] ?? camelCase(name));
  // Also when it failed: what was begun may be there all the same.
  return op.kind === 'mutation' ? result.finally(() => forgetLoaded(ctx)) : result;
}
