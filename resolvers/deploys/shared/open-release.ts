import { emptyRelease, type ReleaseState } from '../../../engines/release/model.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { type Activation, activate } from '../apply/activate.ts';
import { insertOperationStatement } from '../plan-deploy.ts';
import { type ReleaseOwner, saveRelease } from '../release-store.ts';
import { targetStatement } from '../running-deploy.ts';

/** The first release of a project, which no deploy of its own has made. */
export interface FirstRelease {
  readonly scope: Pick<ProjectScope, 'org' | 'project'>;
  /** The operation that it is known by. */
  readonly operationId: string;
  readonly planId: string;
  readonly manifestDigest: string;
  readonly state: ReleaseState;
  readonly assets: Activation['assets'];
  /** Gives it what its functions were built to, and what it names, before it goes live. */
  readonly furnish: (owner: ReleaseOwner, releaseId: string) => Promise<void>;
}

/** Makes a release live in a project without one, in the transaction of the caller. @returns its id */
export async function openRelease(
  work: Work,
  { scope, operationId, planId, manifestDigest, state, assets, furnish }: FirstRelease,
): Promise<string> {
  const { rows, services } = work;
  const { org, project } = scope;
  const owner: ReleaseOwner = { orgId: org.id, projectId: project.id };
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
  await furnish(owner, release.id);
  await rows(targetStatement.with({ orgId: org.id, id: operationId, targetReleaseId: release.id }));
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
