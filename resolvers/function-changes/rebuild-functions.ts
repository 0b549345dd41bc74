import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { ReleasedFunction } from '../../engines/release/model.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { projectId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { keepContentStatement } from '../content/shared/keep-content.ts';
import { liveState, refuseOtherLive } from '../deploys/shared/live-state.ts';
import { functionActions } from '../functions/shared/actions.ts';
import { buildFunction, keptBuild } from '../functions/shared/build-functions.ts';
import {
  buildsOfStatement,
  type FunctionBuild,
  keepBuildStatement,
  rebuildStatement,
} from '../functions/shared/build-rows.ts';
import { ofFunction } from '../functions/shared/of-function.ts';

/** A function after its build, or why it has none. */
export type Rebuilt =
  | { readonly name: string; readonly before: FunctionBuild; readonly build: FunctionBuild }
  | { readonly name: string; readonly refusal: ServiceError };

interface Rebuilding {
  /** The live release; null where none is. */
  readonly releaseId: string | null;
  readonly results: readonly Rebuilt[];
}

export interface RebuiltFunctions extends Rebuilding {
  /** Whether all functions were asked for. */
  readonly all: boolean;
}

const RebuiltWire = z
  .object({
    name: z.string(),
    rebuilt: z.literal(true),
    old_fingerprint: z.string().nullable(),
    new_fingerprint: z.string(),
    runtime_version_before: z.string().nullable(),
    runtime_version_after: z.string().nullable(),
    code_hash: z.string(),
  })
  .meta({ id: 'RebuiltFunction' });

const NotRebuiltWire = z
  .object({ name: z.string(), rebuilt: z.literal(false), code: z.string(), error: z.string() })
  .meta({ id: 'FunctionNotRebuilt' });

/** `POST /projects/v1/:project_id/functions/rebuild`, and of one. Contract 03, section 3.5. */
export const rebuildFunctions = mutation({
  name: 'functions.rebuild',
  tool: 'functions_rebuild',
  command: 'functions rebuild',
  duration: 'long',
  effects: ['idempotent'],
  summary: 'Build the live functions anew by the runtime of now, of the same code and the same versions of packages.',
  access: onProject(functionActions['project:functions:rebuild'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    name: ofFunction.optional().describe('One function; all of them where none is named.'),
  }),
  async prepare(ctx, { name }): Promise<Rebuilding> {
    const owner = { orgId: ctx.org.id, projectId: ctx.project.id };
    const { rows } = ctx.services.db;
    const live = await liveState(rows, owner);
    const functions = [...(live?.state.functions ?? [])].filter(([one]) => name === undefined || one === name);
    if (name !== undefined && functions.length === 0)
      throw new ServiceError('FUNCTION_NOT_FOUND', { details: { function: name } });
    if (live === null) return { releaseId: null, results: [] };
    const builds = await rows(buildsOfStatement.with({ ...owner, releaseId: live.releaseId }));
    const results: Rebuilt[] = [];
    for (const [one, fn] of functions) {
      const before = builds.find((build) => build.name === one)!;
      results.push(await rebuilt(ctx, one, fn, before));
    }
    const [only] = results;
    if (name !== undefined && 'refusal' in only!) throw only.refusal;
    return { releaseId: live.releaseId, results };
  },
  async handler(work, { name }, { releaseId, results }): Promise<RebuiltFunctions> {
    await refuseOtherLive(work, functionActions['project:functions:rebuild'], releaseId);
    if (releaseId !== null) for (const one of results) if ('build' in one) await point(work, releaseId, one);
    return { releaseId, results, all: name === undefined };
  },
  audit: ({ releaseId, results }, { name }, { project }) => ({
    action: 'function.rebuilt',
    object: name === undefined ? { kind: 'project', id: project.id } : { kind: 'function', id: name },
    details: {
      project_id: project.id,
      release_id: releaseId,
      functions: results.filter((one) => 'build' in one).map((one) => one.name),
    },
  }),
  // Of one function its own members, and of all of them a list.
  wire: RebuiltWire.partial().extend({
    rebuilt_count: z.int().optional(),
    total: z.int().optional(),
    results: z.array(z.discriminatedUnion('rebuilt', [RebuiltWire, NotRebuiltWire])).optional(),
  }),
  toWire({ all, results }) {
    const told = results.map(resultToWire);
    const [only] = told;
    if (!all && only?.rebuilt === true) return only;
    return { rebuilt_count: told.filter(({ rebuilt: was }) => was).length, total: told.length, results: told };
  },
});

/** What fails of one function is told of that one. */
async function rebuilt(
  ctx: Context & ProjectScope,
  name: string,
  fn: ReleasedFunction,
  before: FunctionBuild,
): Promise<Rebuilt> {
  try {
    if (before.lock === null && fn.deps.length > 0)
      throw new ServiceError('CANNOT_REBUILD_UNLOCKED_DEPS', { details: { function: name } });
    const wanted = before.lock === null ? { deps: [] } : { lock: before.lock };
    const { build } = await buildFunction(ctx, ctx, { name, fn, wanted });
    return { name, before, build };
  } catch (error) {
    if (error instanceof ServiceError) return { name, refusal: error };
    throw error;
  }
}

async function point(
  work: Work & ProjectScope,
  releaseId: string,
  { name, build }: Extract<Rebuilt, { build: FunctionBuild }>,
): Promise<void> {
  const owner = { orgId: work.org.id, projectId: work.project.id };
  const sha256s = [build.bundleSha256, build.mapSha256];
  const held = await work.rows(keepContentStatement.with({ ...owner, sha256s }));
  if (held.length < new Set(sha256s).size) throw new ServiceError('CONTENT_MISSING');
  await work.rows(keepBuildStatement.with(keptBuild(owner, build)));
  await work.rows(rebuildStatement.with({ ...owner, releaseId, name, fingerprint: build.fingerprint }));
}

const resultToWire = (one: Rebuilt): z.output<typeof RebuiltWire> | z.output<typeof NotRebuiltWire> =>
  'refusal' in one
    ? { name: one.name, rebuilt: false, code: one.refusal.code, error: one.refusal.message }
    : {
        name: one.name,
        rebuilt: true,
        old_fingerprint: one.before.fingerprint,
        new_fingerprint: one.build.fingerprint,
        runtime_version_before: one.before.runtimeVersion,
        runtime_version_after: one.build.runtimeVersion,
        code_hash: one.build.codeHash,
      };
