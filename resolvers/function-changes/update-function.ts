import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { type Amendment, amendRelease, planAmendment } from '../deploys/shared/amend-release.ts';
import { functionActions } from '../functions/shared/actions.ts';
import {
  FunctionSummaryWire,
  functionToWire,
  type LiveFunction,
  liveFunction,
} from '../functions/shared/live-functions.ts';
import { ofFunction } from '../functions/shared/of-function.ts';

const writes = functionActions['project:functions:write'];

/** `PATCH /projects/v1/admin/:project_id/functions/:name`. Contract 03, section 3.3. */
export const updateFunction = mutation({
  name: 'functions.update',
  tool: 'update_function',
  command: 'functions update',
  summary: 'Change the schedule, the time limit or the memory of a function at once, by a release of its own.',
  path: 'PATCH /projects/v1/admin/:project_id/functions/:name',
  access: onProject(writes, ({ project }: { project: string }) => project),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    name: ofFunction,
    schedule: z
      .string()
      .max(256)
      .nullable()
      .optional()
      .describe('When it runs by itself, as cron says it in five fields; null for never.'),
    config: z
      .object({
        timeout: z.int().min(1).optional().describe('How long a call may take, in seconds.'),
        memory: z.int().min(1).optional().describe('How much memory it may use, in megabytes.'),
      })
      .optional()
      .describe('What a call may take.'),
  }),
  async prepare(ctx, { name, schedule, config = {} }): Promise<Amendment> {
    const { services } = ctx;
    const { timeoutSeconds, memoryMb } = await liveFunction(services, ctx, services.db.rows, name);
    if (schedule === undefined && config.timeout === undefined && config.memory === undefined)
      throw new ServiceError('VALIDATION_FAILED', {
        message: 'Nothing is said that would change: give schedule, config.timeout or config.memory.',
        details: { field: 'schedule' },
      });
    const set = {
      ...(schedule === undefined ? {} : { schedule }),
      config: { timeout_seconds: config.timeout ?? timeoutSeconds, memory_mb: config.memory ?? memoryMb },
    };
    return planAmendment(services, ctx, { set: { [name]: set } });
  },
  async handler(work, { name }, amendment): Promise<LiveFunction> {
    await amendRelease(work, writes, amendment);
    return liveFunction(work.services, work, work.rows, name);
  },
  audit: ({ name, releaseId }, { schedule, config }, { project }) => ({
    action: 'function.updated',
    object: { kind: 'function', id: name },
    details: { project_id: project.id, release_id: releaseId, schedule, ...config },
  }),
  wire: FunctionSummaryWire,
  toWire: functionToWire,
});
