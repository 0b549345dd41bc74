import { emptyRelease, type ReleaseState } from '../../../engines/release/model.ts';
import type { SpecAssets } from '../../../engines/release/spec/release-spec.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { ImagesBySha256 } from '../../assets/shared/publish-assets.ts';
import { type FunctionBuild, keepBuildStatement, nameBuildsStatement } from '../../functions/shared/build-rows.ts';
import { activate } from '../apply/activate.ts';
import { insertOperationStatement } from '../plan-deploy.ts';
import { type ReleaseOwner, saveRelease } from '../release-store.ts';
import { targetStatement } from '../running-deploy.ts';

/** A release that comes from elsewhere, for a project without one that holds all of its content already. */
export interface BroughtRelease {
  readonly scope: Pick<ProjectScope, 'org' | 'project'>;
  readonly operationId: string;
  readonly state: ReleaseState;
  /** Of what it was made, as it was told elsewhere. */
  readonly manifestDigest: string;
  /** What its functions are run by, by their names. */
  readonly builds: ReadonlyMap<string, FunctionBuild>;
  readonly assets: { readonly slice: SpecAssets; readonly images: ImagesBySha256 } | undefined;
}

/** Makes a release from elsewhere live, in the transaction of the caller. @returns its id */
export async function bringRelease(work: Work, given: BroughtRelease): Promise<string> {
  const { rows, services } = work;
  const { scope, operationId, state, manifestDigest, builds, assets } = given;
  const owner: ReleaseOwner = { orgId: scope.org.id, projectId: scope.project.id };
  const actor = scope.project.creator;
  const release = { id: services.newId('rel'), deploymentId: services.newId('dpl') };
  const [operation] = await rows(
    insertOperationStatement.with({
      ...owner,
      id: operationId,
      planId: null,
      kind: 'promote',
      status: 'activating',
      baseReleaseId: null,
      actor: JSON.stringify(actor),
    }),
  );
  await saveRelease(rows, owner, state, {
    ...release,
    parentId: null,
    operationId,
    planId: operationId,
    manifestDigest,
    actor,
  });
  for (const build of builds.values())
    await rows(
      keepBuildStatement.with({
        ...owner,
        ...build,
        depsResolved: JSON.stringify(build.depsResolved),
        lock: build.lock === null ? null : JSON.stringify(build.lock),
      }),
    );
  if (builds.size > 0)
    await rows(
      nameBuildsStatement.with({
        ...owner,
        releaseId: release.id,
        names: [...builds.keys()],
        fingerprints: [...builds.values()].map(({ fingerprint }) => fingerprint),
        base: null,
        unchanged: [],
      }),
    );
  await rows(targetStatement.with({ orgId: owner.orgId, id: operationId, targetReleaseId: release.id }));
  await activate(work, {
    scope,
    operation: operation!,
    release,
    state,
    before: emptyRelease,
    deletesSecrets: [],
    assets,
  });
  return release.id;
}
