import type { HostedRelease } from '../../../engines/hosting/resolve.ts';
import { routeTable } from '../../../engines/hosting/route-table.ts';
import { content, release } from '../release/spec.ts';

interface Given {
  /** Paths of the site. */
  readonly site?: readonly string[];
  /** As a specification has them. */
  readonly routes?: readonly Record<string, unknown>[];
  readonly publicPaths?: Record<string, unknown>;
  readonly ssr?: string;
}

/** A release that was planned from a specification, as requests see it. */
export function hosted({ site = [], routes = [], publicPaths, ssr }: Given): HostedRelease {
  const named = routes.flatMap(({ target }) => {
    const { type, name } = target as { type: string; name?: string };
    return type === 'function' ? [name!] : [];
  });
  const state = release({
    site: {
      replace: Object.fromEntries(site.map((path) => [path, content(path)])),
      ...(publicPaths === undefined ? {} : { public_paths: publicPaths }),
    },
    ...(named.length === 0
      ? {}
      : { functions: { replace: Object.fromEntries(named.map((name) => [name, { source: content(name) }])) } }),
    routes: { replace: routes },
  });
  return {
    routes: routeTable(state.routes),
    mode: state.manifest.mode,
    spaFallback: state.manifest.spaFallback,
    ...(ssr === undefined ? {} : { ssr }),
    files: state.manifest.files,
  };
}
