import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { jobTypes } from '../../db/schema/jobs.ts';
import { insertInto, pick, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { oneLine, projectId } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { JobTypeWire, typeToWire } from './list-types.ts';
import { builtIn, listTypesStatement, registeredType } from './types/find-type.ts';
import { type RegisteredType, schemaOf, typeColumns } from './types/registered-type.ts';

const typeName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be small letters, digits and _, a letter first, at most 64 of them')
  .meta({ examples: ['render_video'] });

const usdMicros = z.int().min(0).max(1_000_000_000);

const RegisteredTypeWire = JobTypeWire.extend({
  project_id: z.string().nullable(),
  function: z.string().nullable(),
  command: z.array(z.string()).nullable(),
  root: z.string().nullable(),
  memory_mb: z.int(),
  created_at: z.iso.datetime(),
}).meta({ id: 'RegisteredJobType' });

const registeredToWire = (row: RegisteredType): z.output<typeof RegisteredTypeWire> => ({
  ...typeToWire(registeredType(row)),
  project_id: row.projectId,
  function: row.function,
  command: row.command === null ? null : [...row.command],
  root: row.root,
  memory_mb: row.memoryMb,
  created_at: row.createdAt.toISOString(),
});

/** `POST /jobs/v1/admin/types`: the platform admin makes a function, or a command, a type of jobs. */
export const registerJobType = mutation({
  name: 'jobs.registerType',
  tool: 'admin_register_job_type',
  command: 'admin job-types register',
  summary: 'Make a function of a project of yours, or a command, a type of jobs that every project may submit.',
  path: 'POST /jobs/v1/admin/types 201',
  access: platformAdmin(),
  input: z.object({
    job_type: typeName.describe('What jobs name it by.'),
    description: oneLine(500).min(1).describe('What it does, in one sentence.'),
    project: projectId.optional().describe('The project whose function does the work.'),
    function: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('The function, of whatever release is live when a job begins.'),
    command: z
      .array(
        z
          .string()
          .min(1)
          .max(4_096)
          .regex(/^[^\0]*$/, 'must hold no NUL'),
      )
      .min(1)
      .max(64)
      .optional()
      .describe('In place of a function: the program that does the work, and what it is given.'),
    root: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be the name of a folder')
      .optional()
      .describe('The root file system that the command runs in: a folder of `SVC_JOB_ROOTS`.'),
    per_job_usd_micros: usdMicros.default(0).describe('What a job costs that completes, in micro-dollars.'),
    per_second_usd_micros: usdMicros.default(0).describe('What each second of a job costs, in micro-dollars.'),
    max_seconds: z.int().min(1).max(86_400).default(300).describe('Longest that a job may take: 300 unless told.'),
    memory_mb: z
      .int()
      .min(128)
      .max(65_536)
      .default(256)
      .describe('Memory of its process, in megabytes: 128, 256 or 512 for a function, up to 65536 for a command.'),
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
    const { project = null, function: functionName = null, command = null, root = null } = input;
    await requireWorker(work, input);
    const [row] = builtIn.some((type) => type.name === name)
      ? []
      : await work.rows(
          insertStatement.with({
            name,
            description: input.description,
            projectId: project,
            function: functionName,
            command,
            root,
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
  audit: ({ name, projectId: project, function: fn, command, root }) => ({
    action: 'job_type.registered',
    object: { kind: 'job_type', id: name },
    details: command === null ? { project_id: project, function: fn } : { command, root },
  }),
  wire: RegisteredTypeWire,
  toWire: registeredToWire,
});

/** Memory that functions may have, in megabytes. */
const functionMemory: readonly number[] = [128, 256, 512];

interface Worker {
  readonly project?: string | undefined;
  readonly function?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly root?: string | undefined;
  readonly memory_mb: number;
}

/** Either a function of a project that there is, or a command in a root that this node has. @throws VALIDATION_FAILED, RESOURCE_NOT_FOUND */
async function requireWorker(work: Work, { project, function: name, command, root, memory_mb }: Worker): Promise<void> {
  if (command !== undefined) {
    if (project !== undefined || name !== undefined)
      throw invalidField('command', 'stands in the place of a project and its function');
    if (root === undefined) throw invalidField('root', 'must be given with a command');
    const { jobRoots } = work.services.settings;
    if (jobRoots === undefined)
      throw invalidField('command', 'needs root file systems: the operator sets SVC_JOB_ROOTS');
    if (!(await isFolder(join(jobRoots, root)))) throw invalidField('root', 'is no folder of SVC_JOB_ROOTS');
    return;
  }
  if (root !== undefined) throw invalidField('root', 'belongs to a command');
  if (project === undefined) throw invalidField('project', 'must be given, or a command');
  if (name === undefined) throw invalidField('function', 'must be given with a project');
  if (!functionMemory.includes(memory_mb)) throw invalidField('memory_mb', 'must be 128, 256 or 512 for a function');
  if ((await lockProject(work, project)) === undefined)
    throw new ServiceError('RESOURCE_NOT_FOUND', {
      message: 'There is no such project.',
      details: { project_id: project },
    });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

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
      'command',
      'root',
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
