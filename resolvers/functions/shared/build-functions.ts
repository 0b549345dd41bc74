import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../../../core/errors.ts';
import { inParallel } from '../../../core/in-parallel.ts';
import { BundleError, bundleFunction, fingerprintOf } from '../../../engines/functions/bundle.ts';
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
}

/**
 * Builds the functions of a release, but for those that were built before.
 *
 * @throws FUNCTION_BUILD_FAILED, QUOTA_EXCEEDED, STORAGE_UNAVAILABLE
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
    fingerprint: fingerprintOf(fn.codeHash, runtimeVersion),
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
  await inParallel([...missing.values()], builtAtOnce, async ({ name, fn, fingerprint }) => {
    const build = await buildOne(ctx, scope, { name, fn, fingerprint });
    await ctx.services.db.rows(keepBuildStatement.with({ ...owner, ...build, depsResolved: JSON.stringify({}) }));
    builds.set(fingerprint, build);
  });
  return asked.map(({ name, fingerprint }) => ({ name, build: builds.get(fingerprint)! }));
}

const buildFailed = (name: string, log: readonly string[]) =>
  new ServiceError('FUNCTION_BUILD_FAILED', {
    message: `The function ${name} cannot be built: ${log[0]}`,
    details: { function: name },
    extras: { resource: `functions.${name}`, logs: [...log] },
  });

async function buildOne(
  ctx: Context,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  { name, fn, fingerprint }: { readonly name: string; readonly fn: ReleasedFunction; readonly fingerprint: string },
): Promise<FunctionBuild> {
  const bytes = [...fn.files.values()].reduce((sum, { size }) => sum + size, 0);
  if (bytes > sourceBytesMax)
    throw buildFailed(name, [`The files of the function have ${bytes} bytes, more than ${sourceBytesMax}.`]);
  const files = new Map<string, Buffer>();
  await inParallel([...fn.files], readAtOnce, async ([path, { sha256 }]) => {
    await storing(ctx.services, async () => {
      files.set(path, await buffer(await ctx.services.objects.read(sha256)));
    });
  });
  const bundle = await bundleFunction({ files, entrypoint: fn.entrypoint }).catch((error: unknown) => {
    if (!(error instanceof BundleError)) throw error;
    throw buildFailed(name, error.log);
  });
  const code = await holdBytes(ctx, scope, bundle.code);
  const map = await holdBytes(ctx, scope, bundle.sourceMap);
  return {
    fingerprint,
    codeHash: fn.codeHash,
    runtimeVersion,
    depsResolved: {},
    bundleSha256: code.sha256,
    bundleSize: code.size,
    mapSha256: map.sha256,
  };
}
