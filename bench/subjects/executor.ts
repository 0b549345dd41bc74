/**
 * Loaded before the gateway: a query that is named `plain` is run by GraphQL's own executor, and one named `jit` by
 * graphql-jit, in place of the plans of `schema/engine`. One process runs all of them, so that they differ in nothing else.
 */
import { createRequire, registerHooks } from 'node:module';
import type { CompiledQuery } from 'graphql-jit';

interface Prepared {
  readonly document: object;
  readonly operation: { readonly name?: { readonly value: string } };
  readonly variables: object | null | undefined;
}

/** What is replaced of the gateway's engine. Its own types would have the bench compiled with all of the gateway. */
interface Engine {
  readonly schema: object;
  run(prepared: Prepared, ctx: object): Promise<object>;
  runOnce(prepared: Prepared, ctx: object): Promise<object>;
}

// graphql-jit has to work on the gateway's schema, so by the gateway's GraphQL.js and not by the one that peers bring.
const gateway = createRequire(new URL('../../server/main.ts', import.meta.url));
registerHooks({
  resolve: (specifier, context, next) =>
    /^graphql(\/|$)/.test(specifier) && context.parentURL?.includes('/graphql-jit/')
      ? next(gateway.resolve(specifier), context)
      : next(specifier, context),
});
const { compileQuery, isCompiledQuery } = await import('graphql-jit');
const engineFile = '../../schema/engine/engine.ts';
const { Engine: engine } = (await import(engineFile)) as { readonly Engine: { readonly prototype: Engine } };

const compiled = new WeakMap<object, CompiledQuery>();
function compile({ schema }: Engine, { document, operation }: Prepared): CompiledQuery {
  const made = compileQuery(schema as never, document as never);
  if (!isCompiledQuery(made)) throw new Error(`graphql-jit cannot compile this: ${JSON.stringify(made)}`);
  compiled.set(operation, made);
  return made;
}

const byPlan = engine.prototype.runOnce;
engine.prototype.runOnce = function (prepared, ctx) {
  const { operation, variables } = prepared;
  if (operation.name?.value === 'plain') return this.run(prepared, ctx);
  if (operation.name?.value !== 'jit') return byPlan.call(this, prepared, ctx);
  const { query } = compiled.get(operation) ?? compile(this, prepared);
  return Promise.resolve(query(undefined, ctx, variables ?? {}));
};
