import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Finding } from '../../engines/expose/finding.ts';
import { conflictsOf, findingsOf } from '../../engines/expose/findings.ts';
import type { Manifest } from '../../engines/expose/manifest-shape.ts';
import { modelOf } from '../../engines/expose/model.ts';
import { type Named, planApply } from '../../engines/expose/plan-apply.ts';
import { wholly } from '../../engines/expose/sound.ts';
import { onProject, type ProjectScope } from '../access.ts';
import type { Context } from '../context.ts';
import { projectId } from '../fields.ts';
import { forgetLive, noteLive } from '../live/prune-live.ts';
import { projectMutation } from '../operation.ts';
import { analyse } from './analyse.ts';
import { asOwner, databaseOf, inProject, once } from './in-project.ts';
import { asOwnReader, readState, stateOf, storeManifest } from './manifest-store.ts';
import { findingToWire, findingWire, manifestInput, namedWire, refuseErrors } from './manifest-wire.ts';
import { readingSql } from './reading-sql.ts';

export interface ExposeApplied {
  readonly projectId: string;
  readonly applied: Named;
  readonly dropped: Named;
  readonly warnings: readonly Finding[];
}

/** Manifests of one project are applied one after the other. */
const lockText = 'select pg_advisory_xact_lock(7306011)';

/** `POST /projects/v1/admin/:project_id/expose`. Contract 01, section 2.12. */
export const applyExpose = projectMutation({
  name: 'projects.applyExpose',
  summary: 'Make a project show exactly what a manifest says: its tables, views and functions.',
  access: onProject('project:expose:write', ({ project }: { project: string }) => project),
  lifecycle: 'gated',
  input: z.object({ project: projectId, manifest: manifestInput }),
  attempt: ({ manifest }, { project }) => ({
    action: 'project.expose_applied',
    object: { kind: 'project', id: project.id },
    details: { sha256: createHash('sha256').update(JSON.stringify(manifest)).digest('hex') },
  }),
  async handler(ctx, input): Promise<ExposeApplied> {
    const database = databaseOf(ctx);
    const { manifest, findings } = await readingSql(() =>
      ctx.services.sqlReader.checkManifest(input.manifest, ctx.project.id),
    );
    if (manifest === undefined) {
      refuseErrors(findings);
      throw new Error('A manifest without findings is one.');
    }
    const { projectPools, schemaCaches, live: hints } = ctx.services;
    const live = manifest.tables.some((table) => table.live === true);
    // Before there are any hints that somebody would have to remove, and as long as there may be.
    if (live) await noteLive(ctx.services, ctx.project.id);
    try {
      const result = await explained(ctx, manifest, () =>
        projectPools.transaction(
          database,
          async (run) => {
            await run([asOwnReader, once(lockText)]);
            // A statement of its own sees what the one before waited for.
            const { facts } = stateOf(await run(readState));
            const found = [...findingsOf(wholly(manifest), modelOf(facts)), ...conflictsOf(manifest, facts)];
            refuseErrors(found);
            const { statements, applied, dropped } = planApply(manifest, facts);
            await run([asOwner(), ...statements.map((text) => once(text)), storeManifest(manifest)]);
            return { projectId: ctx.project.id, applied, dropped, warnings: found };
          },
          { signal: ctx.signal },
        ),
      );
      if (!live) await forgetLive(ctx.services, ctx.project.id);
      return result;
    } finally {
      schemaCaches.changed(database, { manifest: true });
      hints.changed(database);
    }
  },
  wire: z.object({
    status: z.literal('ok'),
    project_id: z.string(),
    applied: namedWire,
    dropped: namedWire,
    warnings: z.array(findingWire),
  }),
  toWire: ({ projectId: id, applied, dropped, warnings }) => ({
    status: 'ok',
    project_id: id,
    applied: listsOf(applied),
    dropped: listsOf(dropped),
    warnings: warnings.map(findingToWire),
  }),
});

/** Runs the statements of a manifest; where its own SQL is to blame for a refusal, it is told by its path. */
async function explained<Result>(
  ctx: Pick<Context, 'services' | 'signal'> & ProjectScope,
  manifest: Manifest,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await inProject(work);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'SQL_ERROR') throw error;
    const database = databaseOf(ctx);
    const rows = await inProject(() =>
      ctx.services.projectPools.run(database, [asOwnReader, ...readState], { signal: ctx.signal }),
    );
    const model = modelOf(stateOf(rows.slice(1)).facts);
    const { asked } = await readingSql(() => ctx.services.sqlReader.judge(ctx.project.id, manifest, model, undefined));
    refuseErrors(await analyse(ctx, database, asked));
    throw error;
  }
}

const listsOf = ({ tables, views, rpcs }: Named) => ({ tables: [...tables], views: [...views], rpcs: [...rpcs] });
