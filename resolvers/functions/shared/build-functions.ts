import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../../../core/errors.ts';
import { inParallel } from '../../../core/in-parallel.ts';
import type { Lock } from '../../../db/schema/functions.ts';
import {
  BundleError,
  buildBundle,
  fingerprintOf,
  PackagesUnavailableError,
} from '../../../engines/functions/bundle.ts';
import type { Wanted } from '../../../engines/functions/packages/install-packages.ts';
import type { ReleasedFunction } from '../../../engines/release/model.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { holdBytes } from '../../content/shared/hold-bytes.ts';
import { storing } from '../../content/shared/storing.ts';
import { useContent } from '../../content/shared/use-content.ts';
import { type FunctionBuild, findBuildsStatement, keepBuildStatement } from './build-rows.ts';

/** What functions are run by: with another version they are built anew. */
export const runtimeVersion = '3.7.0';

/** Functions that are built at a time. */
const builtAtOnce = 2;
/** Bytes of all files of a function: they are in memory while it is built. */
const sourceBytesMax = 64 * 1024 * 1024;

/** Files of a function that are read at a time. */
const readAtOnce = 8;

/** A function of a release, built. */
export interface BuiltFunction {
  readonly name: string;
  readonly build: FunctionBuild;
  /** What is worth knowing of it, a line each; nothing of what was built before. */
  readonly log: readonly string[];
}

/**
 * Builds the functions of a release, but for those that were built before.
 *
 * @throws FUNCTION_BUILD_FAILED, PACKAGE_REGISTRY_UNAVAILABLE, QUOTA_EXCEEDED, STORAGE_UNAVAILABLE
 */
export async function buildFunctions(
  ctx: Context,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  functions: ReadonlyMap<string, ReleasedFunction>,
): Promise<readonly BuiltFunction[]> {
  if (functions.size === 0) return [];
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const asked = [...functions].map(([name, fn]) => ({
    name,
    fn,
    fingerprint: fingerprintOf(fn.codeHash, fn.deps, runtimeVersion),
  }));
  const fingerprints = asked.map(({ fingerprint }) => fingerprint);
  const found = await ctx.services.db.rows(findBuildsStatement.with({ ...owner, fingerprints }));
  // What no release has come to name was let go of meanwhile.
  const held = await useContent(
    ctx.services.db.rows,
    owner,
    found.flatMap(({ bundleSha256, mapSha256 }) => [bundleSha256, mapSha256]),
  );
  const whole = found.filter(({ bundleSha256, mapSha256 }) => held.has(bundleSha256) && held.has(mapSha256));
  const builds = new Map(whole.map((build) => [build.fingerprint, build]));
  const missing = new Map(
    asked.filter(({ fingerprint }) => !builds.has(fingerprint)).map((one) => [one.fingerprint, one]),
  );
  const logs = new Map<string, readonly string[]>();
  await inParallel([...missing.values()], builtAtOnce, async ({ name, fn, fingerprint }) => {
    const { build, log } = await buildFunction(ctx, scope, { name, fn, wanted: { deps: fn.deps } });
    await ctx.services.db.rows(keepBuildStatement.with(keptBuild(owner, build)));
    builds.set(fingerprint, build);
    logs.set(name, log);
  });
  return asked.map(({ name, fingerprint }) => ({ name, build: builds.get(fingerprint)!, log: logs.get(name) ?? [] }));
}

/** The versions of the packages that a function named itself. */
const versionsOf = ({ root, packages }: Lock): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(root).map(([name, key]) => [name, packages[key]!.version]));

/** A build as it is kept. */
export const keptBuild = (owner: { readonly orgId: string; readonly projectId: string }, build: FunctionBuild) => ({
  ...owner,
  ...build,
  depsResolved: JSON.stringify(build.depsResolved),
  lock: JSON.stringify(build.lock),
});

const buildFailed = (name: string, log: readonly string[]) =>
  new ServiceError('FUNCTION_BUILD_FAILED', {
    message: `The function ${name} cannot be built: ${log[0]}`,
    details: { function: name },
    extras: { resource: `functions.${name}`, logs: [...log] },
  });

/**
 * Builds a function of a release, whether or not it was built before.
 *
 * @param wanted its packages: versions that were chosen before, or what is to choose by
 * @throws FUNCTION_BUILD_FAILED, PACKAGE_REGISTRY_UNAVAILABLE, QUOTA_EXCEEDED, STORAGE_UNAVAILABLE
 */
export async function buildFunction(
  ctx: Context,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  { name, fn, wanted }: { readonly name: string; readonly fn: ReleasedFunction; readonly wanted: Wanted },
): Promise<Omit<BuiltFunction, 'name'>> {
  const bytes = [...fn.files.values()].reduce((sum, { size }) => sum + size, 0);
  if (bytes > sourceBytesMax)
    throw buildFailed(name, [`The files of the function have ${bytes} bytes, more than ${sourceBytesMax}.`]);
  const files = new Map<string, Buffer>();
  await inParallel([...fn.files], readAtOnce, async ([path, { sha256 }]) => {
    await storing(ctx.services, async () => {
      files.set(path, await buffer(await ctx.services.objects.read(sha256)));
    });
  });
  const source = { files, entrypoint: fn.entrypoint };
  const bundle = await buildBundle(source, wanted, ctx.services.settings.packages).catch((error: unknown) => {
    if (error instanceof BundleError) throw buildFailed(name, error.log);
    if (!(error instanceof PackagesUnavailableError)) throw error;
    throw new ServiceError('PACKAGE_REGISTRY_UNAVAILABLE', { cause: error, retryAfter: 10 });
  });
  const code = await holdBytes(ctx, scope, bundle.code);
  const map = await holdBytes(ctx, scope, bundle.sourceMap);
  const build = {
    fingerprint: fingerprintOf(fn.codeHash, fn.deps, runtimeVersion),
    codeHash: fn.codeHash,
    runtimeVersion,
    depsResolved: versionsOf(bundle.lock),
    lock: bundle.lock,
    bundleSha256: code.sha256,
    bundleSize: code.size,
    mapSha256: map.sha256,
  };
  return { build, log: bundle.log };
}
