import type { ReleaseState } from '../../../engines/release/model.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { copyContent } from '../../content/shared/copy-content.ts';
import { copyBuilds } from '../../functions/shared/copy-builds.ts';
import { findRelease, loadRelease, type ReleaseOwner } from '../release-store.ts';
import { openRelease } from './open-release.ts';

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
  const { rows } = work;
  const original = await findRelease(rows, source, releaseId);
  if (original === undefined) return null;
  const state: ReleaseState = { ...(await loadRelease(rows, source, releaseId)), subdomains };
  return openRelease(work, {
    scope,
    operationId,
    planId: original.planId,
    manifestDigest: original.manifestDigest,
    state,
    assets: undefined,
    async furnish(owner, copy) {
      const copied = { source, target: owner };
      const builds = await copyBuilds(work, { ...copied, release: releaseId, copy });
      await copyContent(work, copied, [...contentsOf(state), ...builds], 'released');
    },
  });
}

/** The SHA-256 of all that a release has in the object store, beside what its functions were built to. */
const contentsOf = ({ site, functions }: ReleaseState): string[] => [
  ...[...site.values()].map(({ sha256 }) => sha256),
  ...[...functions.values()].flatMap(({ files }) => [...files.values()].map(({ sha256 }) => sha256)),
];
