import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { type FunctionBuild, keepBuildStatement, nameBuildsStatement } from '../../functions/shared/build-rows.ts';
import type { ReleaseOwner } from '../release-store.ts';
import { type FirstRelease, openRelease } from './open-release.ts';

/** A release that comes from elsewhere, for a project without one that holds all of its content already. */
interface BroughtRelease extends Pick<FirstRelease, 'scope' | 'operationId' | 'manifestDigest' | 'state' | 'assets'> {
  /** What its functions are run by, by their names. */
  readonly builds: ReadonlyMap<string, FunctionBuild>;
}

/** Makes a release from elsewhere live, in the transaction of the caller. @returns its id */
export async function bringRelease(work: Work, given: BroughtRelease): Promise<string> {
  const { operationId, builds, ...release } = given;
  return openRelease(work, {
    ...release,
    operationId,
    planId: operationId,
    furnish: (owner, id) => keepBuilds(work, owner, id, builds),
  });
}

/** What the functions of a release are run by. */
async function keepBuilds(
  { rows }: Work,
  owner: ReleaseOwner,
  releaseId: string,
  builds: BroughtRelease['builds'],
): Promise<void> {
  if (builds.size === 0) return;
  for (const build of builds.values())
    await rows(
      keepBuildStatement.with({
        ...owner,
        ...build,
        depsResolved: JSON.stringify(build.depsResolved),
        lock: build.lock === null ? null : JSON.stringify(build.lock),
      }),
    );
  await rows(
    nameBuildsStatement.with({
      ...owner,
      releaseId,
      names: [...builds.keys()],
      fingerprints: [...builds.values()].map(({ fingerprint }) => fingerprint),
      base: null,
      unchanged: [],
    }),
  );
}
