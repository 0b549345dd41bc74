import { byCodePoint, canonicalJson, inCodePointOrder } from './canonical-json.ts';
import { routesDigest } from './digests.ts';
import type { ReleasedFunction, ReleaseState, RouteEntry } from './model.ts';
import { normalPattern } from './spec/routes.ts';
import { type ImmutableChange, immutableChanges } from './static-manifest.ts';

export interface Names {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface SiteDiff {
  readonly added: readonly { readonly path: string; readonly sha256: string; readonly contentType: string }[];
  readonly removed: readonly string[];
  readonly changed: readonly {
    readonly path: string;
    readonly sha256Old: string;
    readonly sha256New: string;
    readonly contentTypeOld: string;
    readonly contentTypeNew: string;
    readonly inferred: boolean;
  }[];
}

export interface RoutesDiff {
  readonly digestOld: string | null;
  readonly digestNew: string | null;
  readonly added: readonly RouteEntry[];
  readonly removed: readonly RouteEntry[];
  readonly changed: readonly {
    readonly pattern: string;
    readonly before: RouteEntry;
    readonly after: RouteEntry;
    readonly fieldsChanged: readonly string[];
  }[];
}

/** Settings of a release that no bucket shows. */
export type Setting = 'content_types' | 'public_paths' | 'embedding' | 'i18n' | 'expose';

/** What is different between two releases. All lists are in the order of code points. Contract 03, section 2.14. */
export interface ReleaseDiff {
  readonly site: SiteDiff;
  readonly functions: Names & {
    readonly changed: readonly { readonly name: string; readonly fieldsChanged: readonly string[] }[];
  };
  readonly secrets: Names;
  readonly subdomains: Names;
  readonly routes: RoutesDiff;
  readonly static: {
    readonly unchanged: number;
    readonly changed: number;
    readonly added: number;
    readonly removed: number;
    readonly unchangedBytes: number;
    readonly immutableChanges: readonly ImmutableChange[];
  };
  readonly settings: readonly Setting[];
}

const differ = (a: unknown, b: unknown) => canonicalJson(a) !== canonicalJson(b);

const sorted = (texts: readonly string[]) => inCodePointOrder(texts, (text) => text);

const names = (from: Iterable<string>, to: Iterable<string>): Names => {
  const [before, after] = [new Set(from), new Set(to)];
  return {
    added: sorted([...after].filter((name) => !before.has(name))),
    removed: sorted([...before].filter((name) => !after.has(name))),
  };
};

function siteDiff(from: ReleaseState['site'], to: ReleaseState['site']): SiteDiff {
  const { added, removed } = names(from.keys(), to.keys());
  const changed = [...to].flatMap(([path, now]) => {
    const before = from.get(path);
    if (before === undefined || before.sha256 === now.sha256) return [];
    return [
      {
        path,
        sha256Old: before.sha256,
        sha256New: now.sha256,
        contentTypeOld: before.contentType,
        contentTypeNew: now.contentType,
        inferred: now.inferred,
      },
    ];
  });
  return {
    added: added.map((path) => ({ path, sha256: to.get(path)!.sha256, contentType: to.get(path)!.contentType })),
    removed,
    changed: inCodePointOrder(changed, ({ path }) => path),
  };
}

/** Members of a function by the names that a diff has for them. */
const functionFields: readonly (readonly [name: string, of: (one: ReleasedFunction) => unknown])[] = [
  ['code_hash', ({ codeHash }) => codeHash],
  ['runtime', ({ runtime }) => runtime],
  ['timeout_seconds', ({ timeoutSeconds }) => timeoutSeconds],
  ['memory_mb', ({ memoryMb }) => memoryMb],
  ['schedule', ({ schedule }) => schedule],
  ['triggers', ({ triggers }) => triggers],
  ['deps', ({ deps }) => deps],
  ['require_auth', ({ requireAuth }) => requireAuth],
  ['require_role', ({ requireRole }) => requireRole],
  ['class', (one) => one.class],
  ['capabilities', ({ capabilities }) => capabilities],
];

function functionsDiff(from: ReleaseState['functions'], to: ReleaseState['functions']): ReleaseDiff['functions'] {
  const changed = [...to].flatMap(([name, now]) => {
    const before = from.get(name);
    if (before === undefined) return [];
    const fieldsChanged = functionFields.filter(([, of]) => differ(of(before), of(now))).map(([field]) => field);
    return fieldsChanged.length === 0 ? [] : [{ name, fieldsChanged }];
  });
  return { ...names(from.keys(), to.keys()), changed: changed.sort((a, b) => byCodePoint(a.name, b.name)) };
}

const methodsOf = ({ methods }: RouteEntry) => methods?.join() ?? '';

/** Members of a route by the names that a diff has for them. */
const routeFields: readonly (readonly [name: string, of: (one: RouteEntry) => unknown])[] = [
  ['methods', ({ methods }) => methods],
  ['target', ({ target }) => target],
  ['kind', ({ kind }) => kind],
  ['prefix', ({ prefix }) => prefix],
  ['pricing', ({ pricing }) => pricing],
  // Neither changes what is answered; both change what is kept, and what is warned of.
  ['pattern', ({ pattern }) => pattern],
  ['acknowledge_readonly', ({ acknowledgeReadonly }) => acknowledgeReadonly],
];

function grouped(routes: readonly RouteEntry[]): Map<string, RouteEntry[]> {
  const groups = new Map<string, RouteEntry[]>();
  for (const one of routes) {
    const key = normalPattern(one.pattern);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

/** One route of a pattern on each side is the same one; of several, those of the same methods are. */
function routesDiff(from: readonly RouteEntry[], to: readonly RouteEntry[]): RoutesDiff {
  const [before, after] = [grouped(from), grouped(to)];
  const [added, removed]: [RouteEntry[], RouteEntry[]] = [[], []];
  const changed: RoutesDiff['changed'][number][] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(key) ?? [], [...(after.get(key) ?? [])]];
    for (const one of old) {
      const single = old.length === 1 && now.length === 1;
      const at = single ? 0 : now.findIndex((other) => methodsOf(other) === methodsOf(one));
      if (at === -1) {
        removed.push(one);
        continue;
      }
      const [same] = now.splice(at, 1);
      const fieldsChanged = routeFields.filter(([, of]) => differ(of(one), of(same!))).map(([field]) => field);
      if (fieldsChanged.length > 0) changed.push({ pattern: same!.pattern, before: one, after: same!, fieldsChanged });
    }
    added.push(...now);
  }
  const byPattern = (a: { pattern: string }, b: { pattern: string }) => byCodePoint(a.pattern, b.pattern);
  return {
    digestOld: routesDigest(from),
    digestNew: routesDigest(to),
    added: added.sort(byPattern),
    removed: removed.sort(byPattern),
    changed: changed.sort(byPattern),
  };
}

function staticDiff({ manifest: from }: ReleaseState, { manifest: to }: ReleaseState): ReleaseDiff['static'] {
  let [unchanged, changed, added, unchangedBytes] = [0, 0, 0, 0];
  for (const [path, { sha256, size }] of to.files) {
    const before = from.files.get(path);
    if (before === undefined) added += 1;
    else if (before.sha256 !== sha256) changed += 1;
    else {
      unchanged += 1;
      unchangedBytes += size;
    }
  }
  const removed = from.files.size - unchanged - changed;
  return { unchanged, changed, added, removed, unchangedBytes, immutableChanges: immutableChanges(from, to) };
}

/** How files are served, apart from their bytes. */
function hasOtherPublicPaths({ manifest: from }: ReleaseState, { manifest: to }: ReleaseState): boolean {
  if (from.mode !== to.mode) return from.files.size > 0 || to.files.size > 0 || to.mode === 'explicit';
  if (to.mode === 'explicit' && names(from.files.keys(), to.files.keys()).added.length > 0) return true;
  for (const [path, { cacheClass, assetPath }] of to.files) {
    const before = from.files.get(path);
    if (before !== undefined && (before.cacheClass !== cacheClass || before.assetPath !== assetPath)) return true;
  }
  return to.mode === 'explicit' && from.files.size !== to.files.size;
}

function hasOtherTypes({ site: from }: ReleaseState, { site: to }: ReleaseState): boolean {
  for (const [path, { contentType }] of to) {
    const before = from.get(path);
    if (before !== undefined && before.contentType !== contentType) return true;
  }
  return false;
}

export function diffReleases(from: ReleaseState, to: ReleaseState): ReleaseDiff {
  const settings: readonly (readonly [Setting, boolean])[] = [
    ['content_types', hasOtherTypes(from, to)],
    ['embedding', differ(from.frameAncestors, to.frameAncestors)],
    ['expose', differ(from.expose, to.expose)],
    ['i18n', differ(from.i18n, to.i18n)],
    ['public_paths', hasOtherPublicPaths(from, to)],
  ];
  return {
    site: siteDiff(from.site, to.site),
    functions: functionsDiff(from.functions, to.functions),
    secrets: names(from.secretKeys, to.secretKeys),
    subdomains: names(from.subdomains, to.subdomains),
    routes: routesDiff(from.routes, to.routes),
    static: staticDiff(from, to),
    settings: settings.flatMap(([name, isChanged]) => (isChanged ? [name] : [])),
  };
}

/** Whether two releases are the same one, apart from migrations. */
export const isEmptyDiff = ({ site, functions, secrets, subdomains, routes, settings }: ReleaseDiff): boolean =>
  [site, functions, secrets, subdomains, routes].every(
    (bucket) => bucket.added.length + bucket.removed.length + ('changed' in bucket ? bucket.changed.length : 0) === 0,
  ) && settings.length === 0;
