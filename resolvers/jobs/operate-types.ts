import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { jobTypes } from '../../db/schema/jobs.ts';
import { insertInto, pick, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { oneLine, projectId } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { JobTypeWire, typeToWire } from './list-types.ts';
import { builtIn, listTypesStatement } from './types/find-type.ts';
import { functionType, type RegisteredType, schemaOf, typeColumns } from './types/function-type.ts';

const typeName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be small letters, digits and _, a letter first, at most 64 of them')
  .meta({ examples: ['render_video'] });

const usdMicros = z.int().min(0).max(1_000_000_000);

const RegisteredTypeWire = JobTypeWire.extend({
  project_id: z.string(),
  function: z.string(),
  memory_mb: z.int(),
  created_at: z.iso.datetime(),
}).meta({ id: 'RegisteredJobType' });

const registeredToWire = (row: RegisteredType): z.output<typeof RegisteredTypeWire> => ({
  ...typeToWire(functionType(row)),
  project_id: row.projectId,
  function: row.function,
  memory_mb: row.memoryMb,
  created_at: row.createdAt.toISOString(),
});

/** `POST /jobs/v1/admin/types`: the platform admin makes a function a type of jobs. */
export const registerJobType = mutation({
  name: 'jobs.registerType',
  tool: 'admin_register_job_type',
  command: 'admin job-types register',
  summary: 'Make a function of a project of yours a type of jobs that every project may submit.',
  path: 'POST /jobs/v1/admin/types 201',
  access: platformAdmin(),
  input: z.object({
    job_type: typeName.describe('What jobs name it by.'),
    description: oneLine(500).min(1).describe('What it does, in one sentence.'),
    project: projectId.describe('The project whose function does the work.'),
    function: z.string().min(1).max(128).describe('The function, of whatever release is live when a job begins.'),
    per_job_usd_micros: usdMicros.default(0).describe('What a job costs that completes, in micro-dollars.'),
    per_second_usd_micros: usdMicros.default(0).describe('What each second of a job costs, in micro-dollars.'),
    max_seconds: z.int().min(1).max(86_400).default(300).describe('Longest that a job may take: 300 unless told.'),
    memory_mb: z
      .int()
      .refine((mb) => [128, 256, 512].includes(mb), 'must be 128, 256 or 512')
      .default(256)
      .describe('Memory of its process, in megabytes: 128, 256 or 512.'),
    repeatable: z
      .boolean()
      .default(false)
      .describe('Whether an attempt that a lost node leaves is followed by another one: it may then be done twice.'),
    input_schema: jsonObject({ kib: 64, depth: 32 })
      .default({ type: 'object' })
      .describe('JSON Schema of its input; any object unless told.'),
  }),
  async handler(work, input): Promise<RegisteredType> {
    const { job_type: name, input_schema: inputSchema } = input;
    try {
      schemaOf(inputSchema);
    } catch (cause) {
      throw invalidField('input_schema', `must be a JSON Schema: ${(cause as Error).message.slice(0, 200)}`);
    }
    if ((await lockProject(work, input.project)) === undefined)
      throw new ServiceError('RESOURCE_NOT_FOUND', {
        message: 'There is no such project.',
        details: { project_id: input.project },
      });
    const [row] = builtIn.some((type) => type.name === name)
      ? []
      : await work.rows(
          insertStatement.with({
            name,
            description: input.description,
            projectId: input.project,
            function: input.function,
            perJob: BigInt(input.per_job_usd_micros),
            perSecond: BigInt(input.per_second_usd_micros),
            maxSeconds: input.max_seconds,
            memoryMb: input.memory_mb,
            repeatable: input.repeatable,
            inputSchema: JSON.stringify(inputSchema),
          }),
        );
    if (row === undefined) throw new ServiceError('JOB_TYPE_EXISTS', { details: { job_type: name } });
    return row;
  },
  audit: ({ name, projectId: project, function: fn }) => ({
    action: 'job_type.registered',
    object: { kind: 'job_type', id: name },
    details: { project_id: project, function: fn },
  }),
  wire: RegisteredTypeWire,
  toWire: registeredToWire,
});

/** `GET /jobs/v1/admin/types`. */
export const listRegisteredTypes = query({
  name: 'jobs.registeredTypes',
  tool: 'admin_list_job_types',
  command: 'admin job-types list',
  summary: 'The types of jobs that were registered, with the functions that do the work.',
  path: 'GET /jobs/v1/admin/types',
  access: platformAdmin(),
  input: z.object({}),
  handler: ({ services }): Promise<readonly RegisteredType[]> => services.db.rows(listTypesStatement.with({})),
  wire: z.object({ job_types: z.array(RegisteredTypeWire) }),
  toWire: (rows) => ({ job_types: rows.map(registeredToWire) }),
});

/** `DELETE /jobs/v1/admin/types/:job_type`. */
export const removeJobType = mutation({
  name: 'jobs.removeType',
  tool: 'admin_remove_job_type',
  command: 'admin job-types remove',
  effects: ['destructive'],
  summary: 'Remove a type of jobs: those that wait fail, and cost nothing.',
  path: 'DELETE /jobs/v1/admin/types/:job_type',
  access: platformAdmin(),
  input: z.object({ job_type: z.string().min(1).max(128).describe('The type.') }),
  async handler(work, { job_type: name }): Promise<RegisteredType> {
    const [row] = await work.rows(removeStatement.with({ name }));
    if (row === undefined) throw new ServiceError('JOB_TYPE_NOT_FOUND', { details: { job_type: name } });
    return row;
  },
  audit: ({ name }) => ({ action: 'job_type.removed', object: { kind: 'job_type', id: name } }),
  wire: RegisteredTypeWire,
  toWire: registeredToWire,
});

const insertStatement = statement(
  'jobs.insert-type',
  {
    params: pick(
      jobTypes,
      'name',
      'description',
      'projectId',
      'function',
      'perJob',
      'perSecond',
      'maxSeconds',
      'memoryMb',
      'repeatable',
      'inputSchema',
    ),
    row: typeColumns,
  },
  (given, row) => sql`${insertInto(jobTypes, given)} on conflict do nothing returning ${row}`,
);

const removeStatement = statement(
  'jobs.remove-type',
  { params: pick(jobTypes, 'name'), row: typeColumns },
  ({ name }, row) => sql`delete from ${jobTypes} where ${jobTypes.name} = ${name} returning ${row}`,
);
