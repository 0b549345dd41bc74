import { mkdir } from 'node:fs/promises';
import { inParallel } from '../../../core/in-parallel.ts';
import type { Lock } from '../../../db/schema/functions.ts';
import { nodeVersion } from '../../sandbox/find-node.ts';
import { PackageError, type PackagePlatform } from './lock.ts';
import { openRegistry, type RegistrySettings } from './registry.ts';
import { resolvePackages } from './resolve-packages.ts';
import { trimPackages } from './trim-packages.ts';
import { type Unpacked, unpackPackage } from './unpack-package.ts';

/** Where packages of functions come from, and where they are kept. */
export interface PackageStore {
  readonly registry: RegistrySettings;
  /** A folder of the gateway's own, for all functions. */
  readonly folder: string;
  /** What connections depend on, such as `NODE_EXTRA_CA_CERTS`: for the process that asks the registry. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The packages of a function: names and ranges, or versions that were chosen before. */
export type Wanted = { readonly deps: readonly string[] } | { readonly lock: Lock };

/** A package as a bundler finds it. */
export interface InstalledPackage {
  readonly name: string;
  /** Where `node_modules/<name>` is. */
  readonly folder: string;
  /** The packages that it imports, each by the name that it uses: keys of the installation. */
  readonly deps: Readonly<Record<string, string>>;
}

export interface Installed {
  readonly lock: Lock;
  readonly packages: Readonly<Record<string, InstalledPackage>>;
  /** What is worth knowing, a line each. */
  readonly log: readonly string[];
}

/** Code of all packages of a function, in bytes. Contract 03, section 3.8. */
const bytesMax = 256 * 1024 * 1024;
/** Archives that are fetched at a time. */
const fetchedAtOnce = 6;
/**
 * Has the packages of a function at hand, and those that they need. No script of theirs is run.
 *
 * @throws PackageError, RegistryUnavailableError
 */
export async function installPackages(
  wanted: Wanted,
  { registry: settings, folder }: PackageStore,
): Promise<Installed> {
  await mkdir(folder, { recursive: true });
  const platform: PackagePlatform = { os: 'linux', cpu: process.arch, libc: 'glibc', node: nodeVersion() };
  const registry = openRegistry(settings);
  try {
    const { lock, log } =
      'lock' in wanted ? { lock: wanted.lock, log: [] } : await resolvePackages(wanted.deps, registry, platform);
    const unpacked = new Map<string, Unpacked>();
    let bytes = 0;
    await inParallel(Object.entries(lock.packages), fetchedAtOnce, async ([key, of]) => {
      const one = await unpackPackage(folder, of, registry);
      unpacked.set(key, one);
      bytes += one.bytes;
      if (bytes > bytesMax) throw new PackageError(`the packages have more than ${bytesMax} bytes of code`);
    });
    const { whole, left } = withoutCompiled(lock, unpacked);
    await trimPackages(folder);
    const packages = Object.entries(whole.packages).map(([key, { name, deps }]) => [
      key,
      { name, deps, folder: unpacked.get(key)!.folder },
    ]);
    return {
      lock: whole,
      packages: Object.fromEntries(packages),
      log: [...log, ...left.map((key) => `${key} is compiled when it is installed, and was left out`)],
    };
  } finally {
    registry.close();
  }
}

/** Leaves out what would have to be compiled. @throws PackageError where something needs it */
function withoutCompiled(
  lock: Lock,
  unpacked: ReadonlyMap<string, Unpacked>,
): { whole: Lock; left: readonly string[] } {
  const left = Object.keys(lock.packages).filter((key) => unpacked.get(key)!.compiles);
  const needed = left.find((key) => !lock.packages[key]!.optional);
  if (needed !== undefined)
    throw new PackageError(`${needed} is compiled when it is installed, which functions cannot have`);
  const kept = (deps: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(deps).filter(([, key]) => !left.includes(key)));
  const packages = Object.entries(lock.packages)
    .filter(([key]) => !left.includes(key))
    .map(([key, one]) => [key, { ...one, deps: kept(one.deps) }]);
  return { whole: { root: kept(lock.root), packages: Object.fromEntries(packages) }, left };
}
