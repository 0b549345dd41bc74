import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectKeys } from './create-project.ts';
import { projectActions } from './shared/actions.ts';

/**
 * `GET /projects/v1/:id/keys`: for an owner who has lost them, since they are derived and never change. Whoever has the
 * service key may do what an owner may, so nobody else is given it. Contract 01, section 5.10.
 */
export const getProjectKeys = query({
  name: 'projects.getKeys',
  tool: 'project_keys',
  command: 'projects keys',
  summary: 'The anon and service key of a project.',
  access: onProject(projectActions['project:keys:read'], ({ project }: { project: string }) => project),
  reveals: 'project.keys',
  input: z.object({ project: projectId }),
  async handler(ctx) {
    // Nothing is served under them any more, though housekeeping has not come by yet.
    if (ctx.org.lifecycleState === 'purged') throw new ServiceError('PROJECT_NOT_FOUND');
    if (ctx.project.state !== 'ready') throw new ServiceError('PROJECT_NOT_READY', { retryAfter: 1 });
    return { projectId: ctx.project.id, ...(await projectKeys(ctx, ctx.project)) };
  },
  wire: z.object({
    project_id: z.string(),
    anon_key: z.string().meta({ secret: true }),
    service_key: z.string().meta({ secret: true }),
  }),
  toWire: ({ projectId: id, anonKey, serviceKey }) => ({ project_id: id, anon_key: anonKey, service_key: serviceKey }),
});
