import type { Rows } from '../../../db/statement.ts';
import type { ReleaseState } from '../../../engines/release/model.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { baseConflict } from '../computed-plan.ts';
import { findLive } from '../live-release.ts';
import { loadRelease, type ReleaseOwner } from '../release-store.ts';

/** The live release of a project with all that is in it; null where none is live. */
export async function liveState(
  rows: Rows,
  owner: ReleaseOwner,
): Promise<{ readonly releaseId: string; readonly state: ReleaseState } | null> {
  const { releaseId } = await findLive(rows, owner);
  return releaseId === null ? null : { releaseId, state: await loadRelease(rows, owner, releaseId) };
}

/** Holds what is live until the transaction ends. @throws BASE_RELEASE_CONFLICT where another release is by now */
export async function refuseOtherLive(
  work: Work & ProjectScope,
  action: Action,
  expected: string | null,
): Promise<void> {
  await lockProjectFor(work, action);
  const { releaseId } = await findLive(work.rows, { orgId: work.org.id, projectId: work.project.id });
  if (releaseId !== expected) throw baseConflict(expected, releaseId);
}
