import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { type Amendment, amendRelease, planAmendment } from '../deploys/shared/amend-release.ts';
import { functionActions } from '../functions/shared/actions.ts';
import { liveFunction } from '../functions/shared/live-functions.ts';
import { ofFunction } from '../functions/shared/of-function.ts';

interface DeletedFunction {
  readonly name: string;
  /** The release without it, which is live now. */
  readonly releaseId: string;
}

const writes = functionActions['project:functions:write'];

/** `DELETE /projects/v1/admin/:project_id/functions/:name`. Contract 03, section 3.3. */
export const deleteFunction = mutation({
  name: 'functions.delete',
  tool: 'delete_function',
  command: 'functions delete',
  effects: ['destructive'],
  summary: 'Take a function and its schedules out of what is live, by a release of its own. Earlier releases keep it.',
  path: 'DELETE /projects/v1/admin/:project_id/functions/:name',
  access: onProject(writes, ({ project }: { project: string }) => project),
  lifecycle: 'owned',
  input: z.object({ project: projectId, name: ofFunction }),
  async prepare(ctx, { name }): Promise<Amendment> {
    const { services } = ctx;
    await liveFunction(services, ctx, services.db.rows, name);
    return planAmendment(services, ctx, { delete: [name] }).catch((error: unknown) => {
      const routes = error instanceof ServiceError ? error.details.missing_route_targets : undefined;
      throw routes === undefined
        ? error
        : new ServiceError('FUNCTION_HAS_ROUTES', { details: { function: name, routes } });
    });
  },
  handler: async (work, { name }, amendment): Promise<DeletedFunction> => ({
    name,
    releaseId: await amendRelease(work, writes, amendment),
  }),
  audit: ({ name, releaseId }, _input, { project }) => ({
    action: 'function.deleted',
    object: { kind: 'function', id: name },
    details: { project_id: project.id, release_id: releaseId },
  }),
  wire: z.object({ status: z.literal('deleted'), name: z.string(), release_id: z.string() }),
  toWire: ({ name, releaseId }) => ({ status: 'deleted' as const, name, release_id: releaseId }),
});
