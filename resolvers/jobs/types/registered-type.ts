import { z } from 'zod';
import { jobTypes } from '../../../db/schema/jobs.ts';
import { allOf, type RowOf } from '../../../db/sql.ts';
import type { JobTypeFacts } from './job-type.ts';

export const typeColumns = allOf(jobTypes);

/** A type that the operator has registered: a function does its work, or a command. */
export type RegisteredType = RowOf<typeof typeColumns>;

/** @throws Error for a schema that is none */
export const schemaOf = (schema: Readonly<Record<string, unknown>>): z.ZodType =>
  z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

/** What a registered type says of itself. */
export const factsOfRegistered = (row: RegisteredType): JobTypeFacts => ({
  name: row.name,
  description: row.description,
  price: { perJob: row.perJob, perSecond: row.perSecond },
  maxSeconds: row.maxSeconds,
  repeatable: row.repeatable,
  inputSchema: row.inputSchema,
});
