import { sql } from '../../../db/drizzle.ts';
import { deployOperations } from '../../../db/schema/releases.ts';
import type { AwaitedJobs } from '../../../kernel/durability/housekeeping.ts';

/** The job that applies a deploy. */
export const applyTask = 'deploys.apply';

export const applyJobs: AwaitedJobs = {
  task: applyTask,
  key: deployOperations.id,
  payload: sql`json_build_object('operation', ${deployOperations.id})`,
};
