import { invalid, SpecError } from './errors.ts';
import type { Migration, ReleasedFunction, ReleaseState } from './model.ts';
import type { Change, ReleaseSpec, SpecFunction } from './spec/release-spec.ts';
import { siteFilesMax } from './spec/site.ts';
import { missingTargets, staticManifest } from './static-manifest.ts';

/** What a function has that says nothing of it. */
const defaults = {
  runtime: 'node22',
  timeoutSeconds: 10,
  memoryMb: 128,
  schedule: null,
  deps: [],
  triggers: [],
  requireAuth: false,
  requireRole: null,
  class: 'standard',
  capabilities: [],
} as const;

/** Sorted by UTF-16 units, as every list of names that is kept. */
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

function changed<Value>(
  base: ReadonlyMap<string, Value>,
  change: Change<Value> | undefined,
): ReadonlyMap<string, Value> {
  if (change === undefined) return base;
  const entries = change.kind === 'replace' ? [...change.entries] : [...base, ...change.set];
  const next = new Map(entries);
  if (change.kind === 'patch') for (const name of change.delete) next.delete(name);
  return new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A function as a release has it: what is not said is as it was, or has its default. */
function functionOf(
  name: string,
  given: SpecFunction,
  before: ReleasedFunction | undefined,
  at: string,
): ReleasedFunction {
  const { code, ...rest } = given;
  const source = code ?? before;
  if (source === undefined) throw invalid(`${at}.${name}`, 'is new, so it must have source or files');
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const { files, entrypoint, codeHash } = source;
  return { ...defaults, ...before, ...said, files, entrypoint, codeHash };
}

function functionsOf(base: ReleaseState['functions'], change: ReleaseSpec['functions']): ReleaseState['functions'] {
  if (change === undefined) return base;
  const isPatch = change.kind === 'patch';
  const at = isPatch ? 'functions.patch.set' : 'functions.replace';
  const given = isPatch ? change.set : change.entries;
  const made = new Map(
    [...given].map(([name, one]) => [name, functionOf(name, one, isPatch ? base.get(name) : undefined, at)]),
  );
  return changed(base, isPatch ? { ...change, set: made } : { kind: 'replace', entries: made });
}

function migrationsOf(base: readonly Migration[], given: ReleaseSpec['migrations']): readonly Migration[] {
  const known = new Set(base.map(({ id }) => id));
  const more = given.filter(({ id }) => !known.has(id));
  return [...base, ...more.map(({ id, checksum, transaction }) => ({ id, checksum, transaction }))];
}

function subdomainsOf(base: readonly string[], given: ReleaseSpec['subdomains']): readonly string[] {
  if (given === undefined) return base;
  if (given.set !== undefined) return sorted(given.set);
  const names = sorted([...base, ...given.add]).filter((name) => !given.remove.includes(name));
  if (names.length > 1)
    throw new SpecError(
      'SUBDOMAIN_MULTI_NOT_SUPPORTED',
      'A project has one subdomain at the most: remove the old one.',
      {
        resource: 'subdomains.add',
        details: { names },
      },
    );
  return names;
}

/** All gates of a release ask one table, since a user has one role. Contract 03, section 2.19. */
function refuseSeveralGates(functions: ReleaseState['functions']): void {
  let first: string | undefined;
  for (const [name, { requireRole }] of functions) {
    if (requireRole === null) continue;
    const { table, idColumn, roleColumn } = requireRole;
    const asked = `${table}(${idColumn}, ${roleColumn})`;
    first ??= asked;
    if (asked !== first)
      throw invalid(`functions.${name}.require_role`, `asks ${asked}, where another function asks ${first}`);
  }
}

/**
 * The release that a specification makes of another one. Slices that it does not name stay as they are. Contract 03,
 * section 2.12.
 *
 * @throws SpecError where the result would not hold together
 */
export function materialise(base: ReleaseState, spec: ReleaseSpec): ReleaseState {
  const site = changed(base.site, spec.site);
  if (site.size > siteFilesMax) throw invalid('site', `would have more than ${siteFilesMax} files`);
  const functions = functionsOf(base.functions, spec.functions);
  refuseSeveralGates(functions);
  const routes = spec.routes ?? base.routes;
  const missing = missingTargets(routes, { functions, site });
  if (missing.length > 0)
    throw invalid('routes', `lead to what the release does not have: ${missing.slice(0, 5).join(', ')}`, {
      missing_route_targets: missing,
    });
  const publicPaths = spec.publicPaths ?? base.publicPaths;
  return {
    site,
    publicPaths,
    manifest: staticManifest({ site, publicPaths, routes }, base.manifest),
    functions,
    secretKeys: sorted([...base.secretKeys, ...spec.secrets.require]).filter(
      (key) => !spec.secrets.delete.includes(key),
    ),
    subdomains: subdomainsOf(base.subdomains, spec.subdomains),
    routes,
    migrations: migrationsOf(base.migrations, spec.migrations),
    expose: spec.expose ?? base.expose,
    i18n: spec.i18n === undefined ? base.i18n : spec.i18n,
    frameAncestors: spec.frameAncestors === undefined ? base.frameAncestors : spec.frameAncestors,
  };
}
