import type { ReleaseState } from '../../../engines/release/model.ts';
import { emptyRelease } from '../../../engines/release/model.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { copyContent } from '../../content/shared/copy-content.ts';
import { copyBuilds } from '../../functions/shared/copy-builds.ts';
import { activate } from '../apply/activate.ts';
import { insertOperationStatement } from '../plan-deploy.ts';
import { findRelease, loadRelease, type ReleaseOwner, saveRelease } from '../release-store.ts';
import { targetStatement } from '../running-deploy.ts';

/** A release that a project without one is to have. */
export interface ReleaseCopy {
  /** The project that has the release. */
  readonly source: ReleaseOwner;
  readonly releaseId: string;
  /** The project that gets it. */
  readonly scope: Pick<ProjectScope, 'org' | 'project'>;
  /** The operation that the copy is known by. */
  readonly operationId: string;
  /** Names below the platform's domain that it claims. @default none */
  readonly subdomains?: readonly string[];
}

/**
 * Makes a release of one project live in another one, in the transaction of the caller: its files, its functions as they
 * were built, and its routes. Names below the platform's domain stay with the project that has them.
 *
 * @returns the id of the copy; null when the release is not there any more
 */
export async function copyRelease(
  work: Work,
  { source, releaseId, scope, operationId, subdomains = [] }: ReleaseCopy,
): Promise<string | null> {
  const { rows, services } = work;
  const { org, project } = scope;
  const owner: ReleaseOwner = { orgId: org.id, projectId: project.id };
  const original = await findRelease(rows, source, releaseId);
  if (original === undefined) return null;
  const state: ReleaseState = { ...(await loadRelease(rows, source, releaseId)), subdomains };
  const { planId, manifestDigest } = original;
  const release = { id: services.newId('rel'), deploymentId: services.newId('dpl') };
  const [operation] = await rows(
    insertOperationStatement.with({
      ...owner,
      id: operationId,
      planId: null,
      kind: 'promote',
      status: 'activating',
      baseReleaseId: null,
      actor: JSON.stringify(project.creator),
    }),
  );
  const facts = { parentId: null, operationId, planId, manifestDigest, actor: project.creator };
  await saveRelease(rows, owner, state, { ...release, ...facts });
  const copy = { source, target: owner };
  const builds = await copyBuilds(work, { ...copy, release: releaseId, copy: release.id });
  await copyContent(work, copy, [...contentsOf(state), ...builds], 'released');
  await rows(targetStatement.with({ orgId: org.id, id: operationId, targetReleaseId: release.id }));
  await activate(work, {
    scope,
    operation: operation!,
    release,
    state,
    before: emptyRelease,
    deletesSecrets: [],
    assets: undefined,
  });
  return release.id;
}

/** The SHA-256 of all that a release has in the object store, beside what its functions were built to. */
const contentsOf = ({ site, functions }: ReleaseState): string[] => [
  ...[...site.values()].map(({ sha256 }) => sha256),
  ...[...functions.values()].flatMap(({ files }) => [...files.values()].map(({ sha256 }) => sha256)),
];
