import { createHash } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Lock } from '../../db/schema/functions.ts';
import type { Bundled, FunctionSource } from './bundle-modules.ts';
import { CallTurns } from './call-turns.ts';
import type { Installed, PackageStore, Wanted } from './packages/install-packages.ts';
import type { Installation } from './packages/install-program.ts';
import { ApartError, type ApartLimits, memoryMbMost, runApart } from './run-apart.ts';

/** A function as one ES module, which imports built-in modules of Node.js alone. */
export interface Bundle {
  readonly code: Uint8Array;
  readonly sourceMap: Uint8Array;
  /** What is worth knowing of the build, a line each. */
  readonly log: readonly string[];
}

/** A bundle, with the packages that are in it. */
export interface BuiltBundle extends Bundle {
  readonly lock: Lock;
}

/** The code cannot be made one module. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  /** What is wrong, by file, line and column. */
  readonly log: readonly string[];

  constructor(log: readonly string[]) {
    super(log[0] ?? 'The function cannot be bundled.');
    this.log = log;
  }
}

/** The registry of packages gave no answer that counts: another try may succeed. */
export class PackagesUnavailableError extends Error {
  override readonly name = 'PackagesUnavailableError';
}

/** A larger bundle, in bytes, is worth a warning. Contract 03, section 2.11.5. */
const bundleBytesLarge = 10 * 1024 * 1024;

/** Lines of a build that are kept. */
const logLinesMax = 100;

const installProgram = fileURLToPath(new URL('./packages/install-program.ts', import.meta.url));
const bundleProgram = fileURLToPath(new URL('./bundle-program.ts', import.meta.url));

/** Builds at a time, of all deploys: as many as there are processors, and memory for. */
const atOnce = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / 2 / (memoryMbMost * 1024 * 1024))));
const turns = new CallTurns({ running: atOnce, waiting: Number.POSITIVE_INFINITY });
const never = new AbortController().signal;

/**
 * Makes one ES module of the code of a function and its packages, in processes of their own: code of others that makes a
 * bundler slow, large or worse does it to those, which end in time. None of the code is run.
 *
 * @throws BundleError, PackagesUnavailableError
 */
export async function buildBundle(
  source: Omit<FunctionSource, 'packages'>,
  wanted: Wanted,
  store: PackageStore,
  limits: ApartLimits = {},
): Promise<BuiltBundle> {
  const end = await turns.take('bundles', never);
  try {
    const { lock, packages, log } = await installed(wanted, store, limits);
    const bundle = await bundled(
      {
        ...source,
        packages: { folder: Object.keys(packages).length === 0 ? '/' : store.folder, root: lock.root, packages },
      },
      limits,
    );
    return { ...bundle, lock, log: [...log, ...bundle.log].slice(0, logLinesMax) };
  } catch (error) {
    throw error instanceof ApartError ? new BundleError([error.message]) : error;
  } finally {
    end();
  }
}

const nothing: Installed = { lock: { root: {}, packages: {} }, packages: {}, log: [] };

async function installed(wanted: Wanted, store: PackageStore, limits: ApartLimits): Promise<Installed> {
  if ('deps' in wanted && wanted.deps.length === 0) return nothing;
  const work = { wanted, store };
  const made = await runApart<Installation>(installProgram, work, limits, store.environment);
  if ('refused' in made) throw new BundleError([made.refused]);
  if ('unavailable' in made) throw new PackagesUnavailableError(made.unavailable);
  return made;
}

async function bundled(source: FunctionSource, limits: ApartLimits): Promise<Bundle> {
  const made = await runApart<Bundled>(bundleProgram, source, limits);
  if ('errors' in made) throw new BundleError(made.errors);
  const { code, sourceMap, warnings } = made;
  const large = code.length > bundleBytesLarge ? [`The bundle has ${code.length} bytes, and starts slowly.`] : [];
  return { code, sourceMap, log: [...warnings, ...large] };
}

/** SHA-256 of everything that a bundle depends on: the same function need not be bundled again. */
export const fingerprintOf = (codeHash: string, deps: readonly string[], runtimeVersion: string): string =>
  createHash('sha256')
    .update(JSON.stringify([codeHash, runtimeVersion, ...(deps.length === 0 ? [] : [deps])]))
    .digest('hex');
