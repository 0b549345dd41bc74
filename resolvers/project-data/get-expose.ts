import { z } from 'zod';
import type { BatchStatement } from '../../db/wire/batch.ts';
import type { Manifest } from '../../engines/expose/manifest-shape.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { appliedOf, factsOf, readApplied, readFacts, revisionOf } from './manifest-store.ts';
import { manifestToWire, manifestWire } from './manifest-wire.ts';
import { projectDataActions } from './shared/actions.ts';
import { asOwnReader, databaseOf, inProject } from './shared/in-project.ts';
import { readingSql } from './shared/reading-sql.ts';

export interface ExposeState {
  readonly projectId: string;
  readonly source: 'applied' | 'introspected';
  readonly manifest: Manifest;
  /** Names the manifest that is applied; `none` where none is. */
  readonly revision: string;
}

/** `GET /projects/v1/admin/:project_id/expose`. Contract 01, section 2.12. */
export const getExpose = query({
  name: 'projects.expose',
  tool: 'get_expose',
  command: 'projects get-expose',
  summary: 'The manifest a project shows: the one applied last, or one made from its privileges.',
  path: 'GET /projects/v1/admin/:project_id/expose',
  access: onProject(projectDataActions['project:expose:read'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId }),
  async handler(ctx): Promise<ExposeState> {
    const { services, project, signal } = ctx;
    const ask = async (statement: BatchStatement) =>
      (await inProject(() => services.projectPools.run(databaseOf(ctx), [asOwnReader, statement], { signal })))[1];
    const applied = await appliedOf(services, project.id, await ask(readApplied));
    if (applied !== undefined)
      return { projectId: project.id, source: 'applied', manifest: applied, revision: revisionOf(applied) };
    const facts = factsOf(await ask(readFacts));
    const manifest = await readingSql(() => services.sqlReader.read(project.id, 'introspectFacts', facts));
    return { projectId: project.id, source: 'introspected', manifest, revision: revisionOf(undefined) };
  },
  wire: manifestWire.extend({
    status: z.literal('ok'),
    project_id: z.string(),
    source: z.enum(['applied', 'introspected']),
    manifest: manifestWire,
    revision: z.string(),
  }),
  // Old clients read the whole answer as the manifest.
  toWire: ({ projectId: id, source, manifest, revision }) => ({
    status: 'ok',
    project_id: id,
    source,
    manifest: manifestToWire(manifest),
    revision,
    ...manifestToWire(manifest),
  }),
});
