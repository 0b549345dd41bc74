import { ServiceError } from '../../../core/errors.ts';
import { schemaLockKey } from '../../../db/project-databases.ts';
import type { BatchRows, BatchStatement } from '../../../db/wire/batch.ts';
import type { Finding } from '../../../engines/expose/finding.ts';
import type { Manifest } from '../../../engines/expose/manifest-shape.ts';
import type { Named } from '../../../engines/expose/plan-apply.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { appliedOf, factsOf, readApplied, readFacts, revisionOf, storeManifest } from '../manifest-store.ts';
import { refuseErrors } from '../manifest-wire.ts';
import { asOwner, asOwnReader, once } from './in-project.ts';
import { readingSql } from './reading-sql.ts';

/** What of a manifest was applied. */
export interface AppliedManifest {
  readonly applied: Named;
  readonly dropped: Named;
  readonly warnings: readonly Finding[];
  /** Names the manifest that is applied now. */
  readonly revision: string;
}

type Run = (statements: readonly BatchStatement[]) => Promise<BatchRows>;

/** Held by what changes the schema of a project by a manifest or by migrations, until its transaction ends. */
export const schemaLock = once(`select pg_advisory_xact_lock(${schemaLockKey})`);

/** A manifest that was checked by itself. @throws the refusal of its faults */
export async function readManifest(
  { sqlReader }: Pick<Services, 'sqlReader'>,
  projectId: string,
  given: unknown,
): Promise<Manifest> {
  const { manifest, findings } = await readingSql(() => sqlReader.read(projectId, 'checkManifest', given));
  if (manifest !== undefined) return manifest;
  refuseErrors(findings);
  throw new Error('A manifest without findings is one.');
}

/**
 * Makes a project's database show what a manifest says, in a transaction that holds {@link schemaLock}.
 *
 * @param revision the manifest that has to be the one applied until now; undefined: any
 * @throws EXPOSE_CHANGED, and the refusal of its faults
 */
export async function applyManifest(
  services: Pick<Services, 'sqlReader'>,
  projectId: string,
  run: Run,
  manifest: Manifest,
  revision?: string,
): Promise<AppliedManifest> {
  const [, told, stored] = await run([asOwnReader, readFacts, readApplied]);
  if (revision !== undefined) {
    const current = revisionOf(await appliedOf(services, projectId, stored));
    if (current !== revision) throw new ServiceError('EXPOSE_CHANGED', { details: { revision: current } });
  }
  const facts = factsOf(told);
  const { found, plan } = await readingSql(() => services.sqlReader.read(projectId, 'planManifest', manifest, facts));
  refuseErrors(found);
  const { statements, applied, dropped } = plan!;
  const changes = statements.map((text) => once(text));
  const answers = await run([asOwner(), ...changes, storeManifest(manifest), readApplied]);
  // As it is read later: PostgreSQL keeps it in a form of its own.
  return {
    applied,
    dropped,
    warnings: found,
    revision: revisionOf(await appliedOf(services, projectId, answers.at(-1))),
  };
}
