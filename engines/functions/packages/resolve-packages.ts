import npa from 'npm-package-arg';
import pickManifest from 'npm-pick-manifest';
import semver from 'semver';
import { inParallel } from '../../../core/in-parallel.ts';
import type { Lock, LockedPackage } from '../../../db/schema/functions.ts';
import { PackageError, type PackagePlatform } from './lock.ts';
import type { Manifest, Packument, Registry } from './registry.ts';

/** Packages of a function, with those that they need. */
const packagesMax = 1_000;
/** Descriptions that are asked for at a time. */
const askedAtOnce = 8;

/** A package that was chosen. */
interface Chosen {
  readonly manifest: Manifest;
  readonly deps: Map<string, Chosen>;
  /** Whether anything fails without it. */
  needed: boolean;
}

/** Something that asks for a package. */
interface Wish {
  /** Undefined: the function itself. */
  readonly by: Chosen | undefined;
  /** The name that it imports. */
  readonly as: string;
  /** The package, and the version of it, as npm writes them. */
  readonly spec: npa.RegistryResult;
  readonly kind: 'needed' | 'optional' | 'peer';
}

/**
 * Chooses a version of each package that a function needs, and of those that these need. A version that is there already
 * serves whoever can use it, so that most packages are there once.
 *
 * @throws PackageError, RegistryUnavailableError
 */
export async function resolvePackages(
  specs: readonly string[],
  registry: Registry,
  platform: PackagePlatform,
): Promise<{ readonly lock: Lock; readonly log: readonly string[] }> {
  const log: string[] = [];
  const root = new Map<string, Chosen>();
  const chosen = new Map<string, Chosen>();
  const named = new Map<string, Chosen[]>();
  const packuments = new Map<string, Packument | PackageError>();

  async function ask(wishes: readonly Wish[]): Promise<void> {
    const names = new Set(wishes.map(({ spec }) => spec.name!).filter((name) => !packuments.has(name)));
    await inParallel([...names], askedAtOnce, async (name) => {
      packuments.set(name, await registry.packument(name).catch(packageErrors));
    });
  }

  const versionsOf = (name: string): readonly Chosen[] => named.get(name) ?? [];

  /** One that is there and serves a wish: the newest, but what the function itself named first. */
  function found({ by, spec: { name, fetchSpec, type } }: Wish): Chosen | undefined {
    if (by === undefined || type === 'tag') return undefined;
    const serving = versionsOf(name!).filter(({ manifest }) => semver.satisfies(manifest.version, fetchSpec, true));
    const own = root.get(name!);
    if (own !== undefined && serving.includes(own)) return own;
    return serving.toSorted((a, b) => semver.rcompare(a.manifest.version, b.manifest.version, true))[0];
  }

  /** @returns whether the package came with the wish */
  function grant(wish: Wish): Chosen | undefined {
    const there = found(wish) ?? (wish.kind === 'peer' ? insteadOf(wish) : undefined);
    const one = there ?? choose(wish);
    if (wish.kind !== 'optional') one.needed = true;
    (wish.by?.deps ?? root).set(wish.as, one);
    return there === undefined ? one : undefined;
  }

  /** What a package gets beside which it has to be, when that is of another version: two of it would not work together. */
  function insteadOf({ by, spec }: Wish): Chosen | undefined {
    const other = root.get(spec.name!) ?? versionsOf(spec.name!)[0];
    if (other !== undefined)
      log.push(`${keyOf(by!)} is meant for ${spec.name}@${spec.fetchSpec}, and runs with ${other.manifest.version}`);
    return other;
  }

  function choose({ by, spec }: Wish): Chosen {
    const packument = packuments.get(spec.name!)!;
    if (packument instanceof PackageError) throw packument;
    const manifest = picked(packument, spec, platform.node, by);
    refuseForeign(manifest, platform);
    const key = `${manifest.name}@${manifest.version}`;
    const there = chosen.get(key);
    if (there !== undefined) return there;
    if (chosen.size === packagesMax) throw new PackageError(`the function needs more than ${packagesMax} packages`);
    const one: Chosen = { manifest, deps: new Map(), needed: false };
    chosen.set(key, one);
    named.set(manifest.name, [...versionsOf(manifest.name), one]);
    if (by === undefined && manifest.deprecated) log.push(`${key} is deprecated: ${manifest.deprecated}`);
    return one;
  }

  function grantAll(wishes: readonly Wish[]): Chosen[] {
    const added = new Set<Chosen>();
    for (const wish of wishes) {
      try {
        const one = grant(wish);
        if (one !== undefined) added.add(one);
      } catch (error) {
        if (wish.kind !== 'optional' || !(error instanceof PackageError)) throw error;
        // Packages name a part for each platform.
        if (!(error instanceof ForeignPackageError))
          log.push(`${keyOf(wish.by!)} goes without ${wish.as}: ${error.message}`);
      }
    }
    return [...added];
  }

  let wishes: readonly Wish[] = specs.map((spec) => ({ by: undefined, ...specOf(spec), kind: 'needed' }));
  while (wishes.length > 0) {
    for (let level = wishes; level.length > 0; ) {
      await ask(level);
      level = grantAll(level).flatMap(wishesOf);
    }
    // What has to be beside a package is looked for once everything else is there.
    wishes = [...chosen.values()].flatMap(peersOf).filter(({ by, as, spec }) => {
      if (by!.deps.has(as)) return false;
      return !isOptionalPeer(by!.manifest, as) || versionsOf(spec.name!).length > 0;
    });
  }
  return { lock: lockOf(root, chosen, registry), log };
}

const keyOf = ({ manifest }: Chosen): string => `${manifest.name}@${manifest.version}`;

const packageErrors = (error: unknown): PackageError => {
  if (error instanceof PackageError) return error;
  throw error;
};

function wishesOf(by: Chosen): Wish[] {
  const { dependencies = {}, optionalDependencies = {}, bundleDependencies = false } = by.manifest;
  const isBundled = (name: string) =>
    typeof bundleDependencies === 'boolean' ? bundleDependencies : bundleDependencies.includes(name);
  const all = { ...dependencies, ...optionalDependencies };
  return Object.keys(all)
    .filter((name) => !isBundled(name))
    .sort()
    .map((as) => {
      const kind = Object.hasOwn(optionalDependencies, as) ? 'optional' : 'needed';
      return { by, as, spec: specIn(by, as, all[as]!), kind };
    });
}

const isOptionalPeer = ({ peerDependenciesMeta = {} }: Manifest, name: string): boolean =>
  peerDependenciesMeta[name]?.optional === true;

function peersOf(by: Chosen): Wish[] {
  const { peerDependencies = {} } = by.manifest;
  return Object.keys(peerDependencies)
    .sort()
    .map((as) => ({ by, as, spec: specIn(by, as, peerDependencies[as]!), kind: 'peer' }));
}

function specOf(text: string): Pick<Wish, 'as' | 'spec'> {
  const spec = npa(text);
  return { as: spec.name!, spec: spec as Wish['spec'] };
}

/** @throws PackageError for what comes from no registry: an address, a repository or a path */
function specIn(by: Chosen, as: string, range: string): Wish['spec'] {
  const spec = parsedSpec(as, range);
  const wanted = spec?.type === 'alias' ? (spec as npa.AliasResult).subSpec : spec;
  if (wanted?.registry === true && wanted.name) return wanted as Wish['spec'];
  throw new PackageError(`${keyOf(by)} needs ${as} from ${range.slice(0, 200)}, which is not in the registry`);
}

function parsedSpec(as: string, range: string): npa.Result | undefined {
  try {
    return npa.resolve(as, range);
  } catch {
    return undefined;
  }
}

function picked(packument: Packument, spec: Wish['spec'], nodeVersion: string, by: Chosen | undefined): Manifest {
  try {
    const manifest = pickManifest(packument, spec.fetchSpec, { nodeVersion, npmVersion: null });
    if (manifest.name === packument.name && semver.valid(manifest.version, true) !== null) return manifest;
  } catch {
    // There is no such version: said below.
  }
  const needs = by === undefined ? '' : `, which ${keyOf(by)} needs`;
  throw new PackageError(`there is no ${spec.name}@${spec.fetchSpec}${needs}`);
}

/** A package is made for other platforms. */
class ForeignPackageError extends PackageError {}

function refuseForeign({ name, version, os, cpu, libc }: Manifest, platform: PackagePlatform): void {
  if (allows(os, platform.os) && allows(cpu, platform.cpu) && allows(libc, platform.libc)) return;
  throw new ForeignPackageError(`${name}@${version} does not run on ${platform.os} ${platform.cpu}`);
}

/** Whether a list of names, or of names with `!` before them, allows one. */
function allows(list: readonly string[] | undefined, value: string): boolean {
  const said = [list ?? []].flat();
  if (said.includes(`!${value}`)) return false;
  return said.every((one) => one.startsWith('!')) || said.includes(value) || said.includes('any');
}

function lockOf(root: ReadonlyMap<string, Chosen>, chosen: ReadonlyMap<string, Chosen>, registry: Registry): Lock {
  const keys = (deps: ReadonlyMap<string, Chosen>) =>
    Object.fromEntries([...deps].map(([as, one]) => [as, keyOf(one)] as const).sort(byFirst));
  const locked = [...chosen].sort(byFirst).map(([key, { manifest, deps, needed }]): [string, LockedPackage] => [
    key,
    {
      name: manifest.name,
      version: manifest.version,
      integrity: integrityOf(manifest),
      tarball: registry.tarballOf(manifest),
      deps: keys(deps),
      optional: !needed,
    },
  ]);
  return { root: keys(root), packages: Object.fromEntries(locked) };
}

const byFirst = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** Packages that are older than SHA-512 have one in hexadecimal. */
function integrityOf({ name, version, dist }: Manifest): string {
  if (typeof dist?.integrity === 'string') return dist.integrity;
  if (typeof dist?.shasum === 'string') return `sha1-${Buffer.from(dist.shasum, 'hex').toString('base64')}`;
  throw new PackageError(`${name}@${version} has no digest that its archive could be compared with`);
}
