import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { functionSchedules } from '../../../db/schema/function-schedules.ts';
import { allOf, pick, statement } from '../../../db/sql.ts';
import { onProject } from '../../../kernel/access/access.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { functionActions } from '../shared/actions.ts';
import { ofFunction } from '../shared/of-function.ts';
import { ScheduleMetaWire, type ShownSchedule, scheduleMetaOf, schedulesStatement } from '../shared/schedule-meta.ts';
import { noteRunStatement, runSchedule } from './fire-schedules.ts';
import { type FunctionRun, RunHandleWire, runToWire } from './run-row.ts';

interface FiredTrigger {
  readonly run: FunctionRun;
  readonly schedule: ShownSchedule;
}

/** `POST /projects/v1/:project_id/functions/:name/triggers/:trigger_id/run`. Contract 03, section 3.7. */
export const runFunctionTrigger = mutation({
  name: 'functions.runTrigger',
  tool: 'run_function_trigger',
  command: 'functions triggers run',
  effects: ['openWorld'],
  summary: 'Have a trigger of a function fire now, beside its schedule.',
  path: 'POST /projects/v1/:project_id/functions/:name/triggers/:trigger_id/run 202',
  access: onProject(functionActions['project:functions:run'], ({ project }: { project: string }) => project),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    name: ofFunction,
    trigger: z.string().min(1).max(128).describe('Id of the trigger; `default` for the member `schedule`.'),
  }),
  async handler(work, { name, trigger }): Promise<FiredTrigger> {
    const { services, org, project } = work;
    const owner = { orgId: org.id, projectId: project.id };
    const of = { ...owner, function: name, triggerId: trigger };
    const [found] = await work.rows(findStatement.with(of));
    if (found === undefined)
      throw new ServiceError('FUNCTION_TRIGGER_NOT_FOUND', { details: { function: name, trigger } });
    const key = `${trigger} manual ${services.newId('fnrun')}`;
    const run = (await runSchedule(work, found, { mode: 'manual', at: services.now(), key }))!;
    await work.rows(noteRunStatement.with({ ...of, lastRunId: run.id }));
    const schedules = await work.rows(schedulesStatement.with(owner));
    return { run, schedule: schedules.find((one) => one.function === name && one.triggerId === trigger)! };
  },
  audit: ({ run, schedule }, _input, { project }) => ({
    action: 'function_trigger.fired',
    object: { kind: 'function_run', id: run.id },
    details: { project_id: project.id, function: run.function, trigger_id: schedule.triggerId },
  }),
  wire: z.object({ run: RunHandleWire, schedule_meta: ScheduleMetaWire }),
  toWire: ({ run, schedule }) => ({ run: runToWire(run), schedule_meta: scheduleMetaOf([schedule])! }),
});

const findStatement = statement(
  'schedules.find',
  {
    params: pick(functionSchedules, 'orgId', 'projectId', 'function', 'triggerId'),
    row: allOf(functionSchedules),
  },
  (given, row) => sql`select ${row} from ${functionSchedules} where ${functionSchedules.orgId} = ${given.orgId}
    and ${functionSchedules.projectId} = ${given.projectId} and ${functionSchedules.function} = ${given.function}
    and ${functionSchedules.triggerId} = ${given.triggerId} for no key update`,
);
