import type { z } from 'zod';
import type { Context } from '../resolvers/context.ts';
import { execute } from '../resolvers/execute.ts';
import type { Operation } from '../resolvers/operation.ts';

/**
 * Executes an operation for a field: refusals name inputs as the graph's arguments are spelt.
 *
 * @param names of arguments that are more than the camel case of an input's name
 */
export const run = <Input extends z.ZodObject, Scope, Output, Wire>(
  op: Operation<Input, Scope, Output, Wire>,
  ctx: Context,
  input: z.input<Input>,
  names: { readonly [Name in keyof z.input<Input>]?: string } = {},
): Promise<Output> => execute(op, ctx, input, (name) => names[name as keyof typeof names] ?? toCamelCase(name));

const toCamelCase = (name: string) => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
