import { clearAllDataLoaders } from '@pothos/plugin-dataloader';
import DataLoader from 'dataloader';
import type { Context, RequestFacts } from '../kernel/run/context.ts';

/** What a context's loaders have in common: that they can forget. */
type Loader = Pick<DataLoader<never, unknown, unknown>, 'clearAll'>;

const loadersOf = new WeakMap<Context, Set<Loader>>();
/** Of a context that stands in for another during one operation: the other, whose loaders answer the fields below. */
const origins = new WeakMap<Context, Context>();

/**
 * A loader that is not an object's own: one for each context, so that what one request was allowed to see never
 * answers another.
 *
 * @param together how many keys are loaded by one statement; all of a request unless told
 */
export function loaderOf<Key, Value, CacheKey = Key>(
  load: (ctx: Context, keys: readonly Key[]) => Promise<readonly Value[]>,
  cacheKeyFn?: (key: Key) => CacheKey,
  together: { readonly maxBatchSize?: number } = {},
): (ctx: Context) => DataLoader<Key, Value, CacheKey> {
  const loaders = new WeakMap<Context, DataLoader<Key, Value, CacheKey>>();
  return (ctx) => {
    let loader = loaders.get(ctx);
    if (loader === undefined) {
      loader = new DataLoader<Key, Value, CacheKey>(
        (keys) => load(ctx, keys),
        cacheKeyFn === undefined ? together : { ...together, cacheKeyFn },
      );
      loaders.set(ctx, loader);
      let all = loadersOf.get(ctx);
      if (all === undefined) loadersOf.set(ctx, (all = new Set()));
      all.add(loader);
    }
    return loader;
  };
}

/** The same context for one operation with a request of its own. */
export function withRequest(ctx: Context, request: RequestFacts): Context {
  const other = { ...ctx, request };
  origins.set(other, ctx);
  return other;
}

/** Forgets all that was loaded before a change: the fields below one mutation show what that one left. */
export function forgetLoaded(ctx: Context): void {
  const origin = origins.get(ctx) ?? ctx;
  for (const loader of loadersOf.get(origin) ?? []) loader.clearAll();
  clearAllDataLoaders(origin);
}
