import type { InputFieldMap, ShapeFromTypeParam, TypeParam } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import { checkKey } from '../kernel/durability/idempotency.ts';
import type { Context } from '../kernel/run/context.ts';
import type { AnyOperation, Operation } from '../kernel/run/operation.ts';
import { isGatewayPriced } from '../kernel/run/price.ts';
import { builder, pageArgs } from './builder.ts';
import { listWindowOf, type PageArgs } from './connection.ts';
import { derive, type InputExceptions } from './derived-inputs.ts';
import { keyed, keyField } from './idempotency.ts';
import { type InputFields, inputTypeOf } from './input-types.ts';
import { run } from './run.ts';

type Types = typeof builder.$inferSchemaTypes;

/** What a field says of the operation that answers it: in words, and by name for what is made of the schema. */
export const fieldOf = ({ name, summary }: Pick<AnyOperation, 'name' | 'summary'>) => ({
  description: summary,
  extensions: { operation: name },
});

/** The same for a field of `Query` or `Mutation`: who needs no credential for the operation needs none for it. */
export const rootFieldOf = (op: Pick<AnyOperation, 'name' | 'summary' | 'access'>) => ({
  ...fieldOf(op),
  ...(op.access.openTo === 'anyone' ? {} : ({ authScopes: { credential: true } } as const)),
});

/** The inputs of an operation as arguments, for a field that makes more of them than one call. */
export function inputsOf<Input extends z.ZodObject, Omitted extends keyof z.input<Input> = never>(
  op: { readonly name: string; readonly input: Input },
  exceptions: Omit<InputExceptions<z.input<Input>>, 'omit'> & { readonly omit?: readonly Omitted[] } = {},
) {
  const { fields, read, names } = derive(op as unknown as AnyOperation, exceptions as InputExceptions);
  return {
    /** The compiler knows nothing of these: `read` gives them to it, by the operation's names. */
    args: builder.args((t) => fields(t as never)) as Record<never, never>,
    fields: fields as (t: InputFields) => Record<never, never>,
    read: read as (args: object) => Omit<z.input<Input>, Omitted>,
    /** What refusals call them. */
    names: names as { readonly [Name in keyof z.input<Input>]?: string },
  };
}

/** Gives the field's value of the operation's result; not needed where it is the result itself. */
type Result<Output, Shape, Rest extends readonly unknown[]> = [Output] extends [Shape]
  ? { readonly result?: (output: Output, ...rest: Rest) => Shape | Promise<Shape> }
  : { readonly result: (output: Output, ...rest: Rest) => Shape | Promise<Shape> };

interface ChangeOptions {
  /** What its type of input is called. @default the field's name and `Input` */
  readonly inputName?: string;
  /** What is said of its type of input, and of the argument. */
  readonly input: string;
  readonly argument: string;
  /** False: no key of idempotency is offered. @default offered to every change, but to what is sold to whoever pays */
  readonly key?: false;
}

/** A field of `Mutation`, derived from the operation that it runs. What differs is said in {@link InputExceptions}. */
export function changeField<Type extends TypeParam<Types>, Input extends z.ZodObject, Scope, Output, Wire>(
  name: string,
  op: Operation<Input, Scope, Output, Wire>,
  options: { readonly type: Type } & ChangeOptions &
    InputExceptions<z.input<Input>> &
    Result<Output, ShapeFromTypeParam<Types, Type, true>, [ctx: Context]>,
): void {
  const {
    type,
    input: description,
    argument,
    inputName = `${name[0]!.toUpperCase()}${name.slice(1)}Input`,
    key,
  } = options;
  const { fields, read, names } = derive(op, options as InputExceptions);
  const shown = Object.values(names);
  // What the operation itself knows by a key goes by that one, unless it is called otherwise.
  const ownKey = shown.includes('idempotencyKey');
  const takesKey =
    key !== false && (op.kind === 'mutation' ? !isGatewayPriced(op) : op.effects?.includes('changes') === true);
  const withKey = (t: Parameters<typeof fields>[0]): InputFieldMap => ({
    ...fields(t),
    ...(takesKey && !ownKey && keyField(t)),
  });
  const ref = inputTypeOf({ name: inputName, description }, withKey, shown);
  const result = (options.result ?? ((output) => output)) as (output: Output, ctx: Context) => unknown;
  builder.mutationField(name, (t) =>
    t.field({
      type,
      nullable: true,
      ...rootFieldOf(op),
      args: { input: t.arg({ type: ref, description: argument }) },
      resolve: async (_root: unknown, { input }: { input: { idempotencyKey?: string | null } }, ctx: Context) => {
        const given = input.idempotencyKey ?? undefined;
        const isChecked = ownKey || op.kind === 'query';
        if (isChecked && given !== undefined) checkKey(given);
        const asked = isChecked ? ctx : keyed(ctx, given);
        return result(await run(op, asked, read(input) as z.input<Input>, names as never), ctx);
      },
    } as never),
  );
}

/** Inputs by which the operation's own lists are paged: the graph's `first`, `after`, `last` and `before` are in their place. */
const windowInputs = ['limit', 'after', 'before', 'from_end', 'older_than'];

/** A field of `Query`, derived from the operation that it runs. */
export function readField<Type extends TypeParam<Types>, Input extends z.ZodObject, Scope, Output, Wire>(
  name: string,
  op: Operation<Input, Scope, Output, Wire>,
  options: { readonly type: Type /** Whether its answer is a connection. */; readonly paged?: true } & InputExceptions<
    z.input<Input>
  > &
    Result<Output, ShapeFromTypeParam<Types, Type, true>, [args: PageArgs, ctx: Context, info: GraphQLResolveInfo]>,
): void {
  const { type, paged } = options;
  const { omit = [], ...exceptions } = options as InputExceptions;
  const { fields, read, names } = derive(op, {
    ...exceptions,
    omit: paged === true ? [...omit, ...windowInputs] : omit,
  });
  const hasWindow = paged === true && 'from_end' in op.input.shape;
  const result = (options.result ?? ((output) => output)) as (output: Output, ...rest: unknown[]) => unknown;
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      ...rootFieldOf(op),
      args: { ...(paged && pageArgs), ...builder.args((arg) => fields(arg as never)) },
      resolve: async (_root: unknown, args: PageArgs, ctx: Context, info: GraphQLResolveInfo) => {
        const input = hasWindow ? { ...read(args), ...listWindowOf(args) } : read(args);
        return result(await run(op, ctx, input as z.input<Input>, names as never), args, ctx, info);
      },
    } as never),
  );
}
