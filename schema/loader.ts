import DataLoader from 'dataloader';
import type { Context } from '../resolvers/context.ts';

/**
 * A loader that is not an object's own: one for each context, so that what one request was allowed to see never
 * answers another.
 */
export function loaderOf<Key, Value, CacheKey = Key>(
  load: (ctx: Context, keys: readonly Key[]) => Promise<readonly Value[]>,
  cacheKeyFn?: (key: Key) => CacheKey,
): (ctx: Context) => DataLoader<Key, Value, CacheKey> {
  const loaders = new WeakMap<Context, DataLoader<Key, Value, CacheKey>>();
  return (ctx) => {
    let loader = loaders.get(ctx);
    if (loader === undefined) {
      loader = new DataLoader<Key, Value, CacheKey>(
        (keys) => load(ctx, keys),
        cacheKeyFn === undefined ? {} : { cacheKeyFn },
      );
      loaders.set(ctx, loader);
    }
    return loader;
  };
}
