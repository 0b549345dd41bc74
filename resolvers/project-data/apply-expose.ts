import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sqlState } from '../../db/pool.ts';
import type { Manifest } from '../../engines/expose/manifest-shape.ts';
import type { Named } from '../../engines/expose/plan-apply.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { projectMutation } from '../../kernel/run/operation.ts';
import { forgetLive, noteLive } from '../live/shared/prune-live.ts';
import { analyse } from './analyse.ts';
import { factsOf, readFacts } from './manifest-store.ts';
import { findingToWire, findingWire, manifestInput, namedWire, refuseErrors } from './manifest-wire.ts';
import { projectDataActions } from './shared/actions.ts';
import { type AppliedManifest, applyManifest, readManifest, schemaLock } from './shared/apply-manifest.ts';
import { asOwnReader, databaseOf, inProject } from './shared/in-project.ts';
import { readingSql } from './shared/reading-sql.ts';

export interface ExposeApplied extends AppliedManifest {
  readonly projectId: string;
}

/** `POST /projects/v1/admin/:project_id/expose`. Contract 01, section 2.12. */
export const applyExpose = projectMutation({
  name: 'projects.applyExpose',
  tool: 'apply_expose',
  command: 'projects apply-expose',
  effects: ['destructive', 'idempotent'],
  summary: 'Make a project show exactly what a manifest says: its tables, views and functions.',
  access: onProject(projectDataActions['project:expose:write'], ({ project }: { project: string }) => project),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    manifest: manifestInput,
    revision: z
      .string()
      .max(64)
      .optional()
      .describe('Refuses to apply unless the manifest that is applied has this revision; `none` where none is.'),
  }),
  attempt: ({ manifest }, { project }) => ({
    action: 'project.expose_applied',
    object: { kind: 'project', id: project.id },
    details: { sha256: createHash('sha256').update(JSON.stringify(manifest)).digest('hex') },
  }),
  async handler(ctx, input): Promise<ExposeApplied> {
    const database = databaseOf(ctx);
    const manifest = await readManifest(ctx.services, ctx.project.id, input.manifest);
    const { projectPools, schemaCaches, live: hints } = ctx.services;
    const live = manifest.tables.some((table) => table.live === true);
    // Before there are any hints that somebody would have to remove, and as long as there may be.
    if (live) await noteLive(ctx.services, ctx.project.id);
    try {
      const result = await explained(ctx, manifest, () =>
        projectPools.transaction(
          database,
          async (run) => {
            // A statement of its own sees what the one before waited for.
            await run([asOwnReader, schemaLock]);
            const result = await applyManifest(ctx.services, ctx.project.id, run, manifest, input.revision);
            return { projectId: ctx.project.id, ...result };
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
    revision: z.string(),
  }),
  toWire: ({ projectId: id, applied, dropped, warnings, revision }) => ({
    status: 'ok',
    project_id: id,
    applied: listsOf(applied),
    dropped: listsOf(dropped),
    warnings: warnings.map(findingToWire),
    revision,
  }),
});

/** Runs the statements of a manifest; where its own SQL is to blame for a refusal, it is told by its path. */
async function explained<Result>(
  ctx: Pick<Context, 'services' | 'signal'> & ProjectScope,
  manifest: Manifest,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await inProject(() => yielding(work));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'SQL_ERROR') throw error;
    const database = databaseOf(ctx);
    const rows = await inProject(() =>
      ctx.services.projectPools.run(database, [asOwnReader, readFacts], { signal: ctx.signal }),
    );
    const ground = { facts: factsOf(rows[1]) };
    const { asked } = await readingSql(() =>
      ctx.services.sqlReader.read(ctx.project.id, 'judgeManifest', manifest, ground, undefined),
    );
    refuseErrors(await analyse(ctx, database, asked));
    throw error;
  }
}

/** A deadlock, and a catalog's row that somebody changed meanwhile. */
const givenWay = new Set(['40P01', 'XX000']);

/** Does again what PostgreSQL had give way to SQL that changes the same tables or functions. */
async function yielding<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = 2; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !givenWay.has(sqlState(error) ?? '')) throw error;
    }
  }
}

const listsOf = ({ tables, views, rpcs }: Named) => ({ tables: [...tables], views: [...views], rpcs: [...rpcs] });
