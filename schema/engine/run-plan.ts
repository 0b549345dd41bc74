import {
  defaultTypeResolver,
  type ExecutionResult,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isObjectType,
  locatedError,
} from 'graphql';
import type { Context } from '../../kernel/run/context.ts';
import type { Field, Plan, Shape, VariableValues } from './compile.ts';

type Path = GraphQLResolveInfo['path'];

/**
 * Runs a plan, answering as the reference executor does: the same resolvers with the same arguments, the same nulls and
 * the same errors. What it spares is laying out the document again, and an abort signal, a tracker and an object of
 * twelve members for each field, which nothing here asks for.
 */
export async function runPlan(plan: Plan, variables: VariableValues, ctx: Context): Promise<ExecutionResult> {
  const run = new Run(plan, variables, ctx);
  let data: object | null;
  try {
    const found = run.fields(plan.fields, undefined, undefined);
    data = found instanceof Promise ? await found : found;
  } catch (error) {
    data = null;
    run.add(error as GraphQLError, undefined);
  }
  const { errors } = run;
  // What fails below a place that is null already is nobody's error any more.
  run.over = true;
  return (errors.length === 0 ? { data } : { errors, data }) as ExecutionResult;
}

/** What a resolver may ask about its place: told when it asks. */
class Info {
  readonly #run: Run;
  readonly #field: Field;
  readonly #around: Path | undefined;
  #path: Path | undefined;

  constructor(run: Run, field: Field, around: Path | undefined) {
    this.#run = run;
    this.#field = field;
    this.#around = around;
  }
  get path() {
    this.#path ??= { prev: this.#around, key: this.#field.key, typename: this.#field.parent.name };
    return this.#path;
  }
  get fieldName() {
    return this.#field.def.name;
  }
  get fieldNodes() {
    return this.#field.nodes;
  }
  get returnType() {
    return this.#field.def.type;
  }
  get parentType() {
    return this.#field.parent;
  }
  get schema() {
    return this.#run.plan.schema;
  }
  get fragments() {
    return this.#run.plan.fragments;
  }
  get rootValue() {
    return undefined;
  }
  get operation() {
    return this.#run.plan.operation;
  }
  get variableValues() {
    return this.#run.variables;
  }
  getAbortSignal() {
    return this.#run.ctx.signal;
  }
  getAsyncHelpers() {
    return { promiseAll: <Value>(values: readonly Value[]) => Promise.all(values), track: swallow };
  }
}

class Run {
  readonly plan: Plan;
  readonly variables: VariableValues;
  readonly ctx: Context;
  readonly errors: GraphQLError[] = [];
  over = false;
  readonly #nulled = new Set<Path | undefined>();

  constructor(plan: Plan, variables: VariableValues, ctx: Context) {
    this.plan = plan;
    this.variables = variables;
    this.ctx = ctx;
  }

  /** Keeps an error, unless its place is null already. */
  add(error: GraphQLError, path: Path | undefined): void {
    if (this.over) return;
    const nulled = this.#nulled;
    if (nulled.size > 0) {
      for (let at = path; at !== undefined; at = at.prev) if (nulled.has(at)) return;
      if (nulled.has(undefined)) return;
    }
    nulled.add(path);
    this.errors.push(error);
  }

  fields(fields: readonly Field[], source: unknown, path: Path | undefined): object | Promise<object> {
    const results: Record<string, unknown> = {};
    let waiting: string[] | undefined;
    try {
      for (const field of fields) {
        const result = this.#field(field, source, path);
        results[field.key] = result;
        if (!(result instanceof Promise)) continue;
        if (waiting === undefined) waiting = [field.key];
        else waiting.push(field.key);
      }
    } catch (error) {
      swallow(Object.values(results));
      throw error;
    }
    return waiting === undefined ? results : gather(results, waiting);
  }

  #field(field: Field, source: unknown, around: Path | undefined): unknown {
    const { resolve, shape, property } = field;
    // Most fields are plain properties, and nobody asks for the place of those that are well.
    if (property !== undefined && shape.kind === 'leaf' && typeof source === 'object' && source !== null) {
      const value = (source as Record<string, unknown>)[property];
      if (typeof value !== 'function' && !isThenable(value)) {
        try {
          return this.#leaf(field, shape, value);
        } catch (error) {
          return this.#failed(error, field, shape, { prev: around, key: field.key, typename: field.parent.name });
        }
      }
    }
    const info = new Info(this, field, around) as unknown as GraphQLResolveInfo;
    try {
      const args = field.argumentsFor(this.variables);
      const result =
        resolve === undefined ? propertyOf(source, args, this.ctx, info) : resolve(source, args, this.ctx, info);
      if (isThenable(result)) return this.#promised(field, shape, info, info.path, result);
      if (shape.kind === 'leaf') return this.#leaf(field, shape, result);
      const completed = this.#complete(field, shape, info, info.path, result);
      if (!(completed instanceof Promise)) return completed;
      return completed.then(undefined, (error: unknown) => this.#failed(error, field, shape, info.path));
    } catch (error) {
      return this.#failed(error, field, shape, info.path);
    }
  }

  #leaf(field: Field, shape: Shape & { kind: 'leaf' }, value: unknown): unknown {
    if (value instanceof Error) throw value;
    if (value != null) {
      const shown = shape.coerce(value);
      if (shown != null) return shown;
      throw new Error(`A value of ${field.parent}.${field.def.name} cannot be shown.`);
    }
    if (shape.nonNull) throw new Error(`Cannot return null for non-nullable field ${field.parent}.${field.def.name}.`);
    return null;
  }

  #failed(raw: unknown, { nodes }: Field, { nonNull }: Shape, path: Path): null {
    const error = locatedError(raw, nodes, pathOf(path));
    if (nonNull) throw error;
    this.add(error, path);
    return null;
  }

  async #promised(
    field: Field,
    shape: Shape,
    info: GraphQLResolveInfo,
    path: Path,
    result: PromiseLike<unknown>,
  ): Promise<unknown> {
    try {
      const resolved = await result;
      if (this.over) throw new Error('Aborted!');
      const completed = this.#complete(field, shape, info, path, resolved);
      return completed instanceof Promise ? await completed : completed;
    } catch (error) {
      return this.#failed(error, field, shape, path);
    }
  }

  #complete(field: Field, shape: Shape, info: GraphQLResolveInfo, path: Path, value: unknown): unknown {
    if (shape.kind === 'leaf') return this.#leaf(field, shape, value);
    if (value instanceof Error) throw value;
    if (value == null) {
      if (shape.nonNull)
        throw new Error(`Cannot return null for non-nullable field ${field.parent}.${field.def.name}.`);
      return null;
    }
    switch (shape.kind) {
      case 'list':
        return this.#list(field, shape.item, info, path, value);
      case 'object':
        return this.#object(shape.type, field, info, path, value);
      case 'abstract': {
        const resolveType = shape.type.resolveType ?? defaultTypeResolver;
        const name = resolveType(value, this.ctx, info, shape.type);
        if (!isThenable(name)) return this.#object(this.#typeOf(name, shape, field), field, info, path, value);
        return (name as Promise<unknown>).then((found) =>
          this.#object(this.#typeOf(found, shape, field), field, info, path, value),
        );
      }
    }
  }

  #list(field: Field, item: Shape, info: GraphQLResolveInfo, path: Path, value: unknown): unknown {
    if (typeof value !== 'object' || !(Symbol.iterator in (value as object))) {
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${field.parent}.${field.def.name}".`);
    }
    const results: unknown[] = [];
    let waits = false;
    let index = 0;
    try {
      for (const one of value as Iterable<unknown>) {
        const at: Path = { prev: path, key: index++, typename: undefined };
        const result = this.#item(field, item, info, at, one);
        if (result instanceof Promise) waits = true;
        results.push(result);
      }
    } catch (error) {
      swallow(results);
      throw error;
    }
    return waits ? together(results) : results;
  }

  #item(field: Field, shape: Shape, info: GraphQLResolveInfo, path: Path, value: unknown): unknown {
    if (isThenable(value)) return this.#promised(field, shape, info, path, value);
    try {
      const completed = this.#complete(field, shape, info, path, value);
      if (!(completed instanceof Promise)) return completed;
      return completed.then(undefined, (error: unknown) => this.#failed(error, field, shape, path));
    } catch (error) {
      return this.#failed(error, field, shape, path);
    }
  }

  #object(type: GraphQLObjectType, field: Field, info: GraphQLResolveInfo, path: Path, value: unknown): unknown {
    if (type.isTypeOf !== undefined && type.isTypeOf !== null) {
      const is = type.isTypeOf(value, this.ctx, info);
      if (isThenable(is)) {
        return (is as Promise<boolean>).then((found) => {
          if (!found) throw wrongType(type, field);
          return this.fields(field.below(type), value, path);
        });
      }
      if (!is) throw wrongType(type, field);
    }
    return this.fields(field.below(type), value, path);
  }

  #typeOf(name: unknown, shape: Shape & { kind: 'abstract' }, field: Field): GraphQLObjectType {
    const type = typeof name === 'string' ? this.plan.schema.getType(name) : undefined;
    if (isObjectType(type) && this.plan.schema.isSubType(shape.type, type)) return type;
    throw new Error(`No object type of "${shape.type}" was found for field "${field.parent}.${field.def.name}".`);
  }
}

const wrongType = (type: GraphQLObjectType, { parent, def }: Field) =>
  new Error(`A value of ${parent}.${def.name} is no ${type}.`);

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

function propertyOf(source: unknown, args: object, ctx: Context, info: GraphQLResolveInfo): unknown {
  if ((typeof source !== 'object' || source === null) && typeof source !== 'function') return undefined;
  const parent = source as Record<string, unknown>;
  const property = parent[info.fieldName];
  return typeof property === 'function' ? property.call(parent, args, ctx, info) : property;
}

/** Waits for members of an object. */
async function gather(results: Record<string, unknown>, waiting: readonly string[]): Promise<object> {
  const [first] = waiting;
  if (waiting.length === 1) results[first!] = await results[first!];
  else {
    const values = await together(waiting.map((key) => results[key]));
    for (const [at, key] of waiting.entries()) results[key] = values[at];
  }
  return results;
}

function together(values: readonly unknown[]): Promise<unknown[]> {
  const all = Promise.all(values);
  // The first failure is the answer; further ones are nobody's.
  all.catch(() => swallow(values));
  return all;
}

/** What is still under way when its place is null already. */
function swallow(values: readonly unknown[]): void {
  for (const value of values) if (value instanceof Promise) value.catch(() => undefined);
}

function pathOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.prev) keys.push(at.key);
  return keys.reverse();
}
