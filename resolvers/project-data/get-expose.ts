import { z } from 'zod';
import { introspect } from '../../engines/expose/introspect.ts';
import type { Manifest } from '../../engines/expose/manifest-shape.ts';
import { onProject } from '../access.ts';
import { projectId } from '../fields.ts';
import { query } from '../operation.ts';
import { databaseOf, inProject } from './in-project.ts';
import { asOwnReader, readState, stateOf } from './manifest-store.ts';
import { manifestToWire, manifestWire } from './manifest-wire.ts';

export interface ExposeState {
  readonly projectId: string;
  readonly source: 'applied' | 'introspected';
  readonly manifest: Manifest;
}

/** `GET /projects/v1/admin/:project_id/expose`. Contract 01, section 2.12. */
export const getExpose = query({
  name: 'projects.expose',
  summary: 'The manifest a project shows: the one applied last, or one made from its privileges.',
  access: onProject('project:expose:read', ({ project }: { project: string }) => project),
  input: z.object({ project: projectId }),
  async handler(ctx): Promise<ExposeState> {
    const [, ...rows] = await inProject(() =>
      ctx.services.projectPools.run(databaseOf(ctx), [asOwnReader, ...readState], { signal: ctx.signal }),
    );
    const { facts, applied } = stateOf(rows);
    return {
      projectId: ctx.project.id,
      source: applied === undefined ? 'introspected' : 'applied',
      manifest: applied ?? introspect(facts),
    };
  },
  wire: manifestWire.extend({
    status: z.literal('ok'),
    project_id: z.string(),
    source: z.enum(['applied', 'introspected']),
    manifest: manifestWire,
  }),
  // Old clients read the whole answer as the manifest.
  toWire: ({ projectId: id, source, manifest }) => ({
    status: 'ok',
    project_id: id,
    source,
    manifest: manifestToWire(manifest),
    ...manifestToWire(manifest),
  }),
});
