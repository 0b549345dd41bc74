import { z } from 'zod';
import { anyone } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { allTypes } from './types/find-type.ts';
import type { JobType } from './types/job-type.ts';

/** A type of jobs as everybody may see it. */
export const JobTypeWire = z
  .object({
    job_type: z.string(),
    kind: z.enum(['built_in', 'function', 'command']),
    description: z.string(),
    price: z.object({
      per_job_usd_micros: z.int().describe('Of each job that completes.'),
      per_second_usd_micros: z.int().describe('Of each second that a job takes.'),
    }),
    limits: z.object({ max_seconds: z.int().describe('Longest that a job may take.') }),
    repeatable: z.boolean().describe('Whether an attempt that the platform interrupts is followed by another one.'),
    input_schema: z.record(z.string(), z.unknown()).describe('JSON Schema of its input.'),
  })
  .meta({ id: 'JobType' });

export const typeToWire = (type: JobType): z.output<typeof JobTypeWire> => ({
  job_type: type.name,
  kind: type.kind,
  description: type.description,
  price: {
    per_job_usd_micros: Number(type.price.perJob),
    per_second_usd_micros: Number(type.price.perSecond),
  },
  limits: { max_seconds: type.maxSeconds },
  repeatable: type.repeatable,
  input_schema: { ...type.inputSchema },
});

/** `GET /jobs/v1/types`. */
export const listJobTypes = query({
  name: 'jobs.types',
  tool: 'jobs_types',
  command: 'jobs types',
  summary: 'The types of jobs that there are, with what they cost, how long they may take and what they are given.',
  path: 'GET /jobs/v1/types',
  access: anyone(),
  input: z.object({}),
  handler: ({ services }): Promise<readonly JobType[]> => allTypes(services.db.rows),
  wire: z.object({ job_types: z.array(JobTypeWire) }),
  toWire: (types) => ({ job_types: types.map(typeToWire) }),
});
