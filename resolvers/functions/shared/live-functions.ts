import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { alias, sql } from '../../../db/drizzle.ts';
import { functionBuilds, releaseFunctions } from '../../../db/schema/functions.ts';
import { liveReleases, releases } from '../../../db/schema/releases.ts';
import { computed, from, pick, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ReleasedFunction, RoleGate } from '../../../engines/release/model.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { originOfGateway } from '../../projects/shared/project-hosts.ts';
import { runtimeVersion } from './build-functions.ts';
import { type MailTrigger, mailTriggersOf } from './replace-mail-triggers.ts';
import {
  ScheduleMetaWire,
  ScheduleWire,
  type ShownSchedule,
  scheduleMetaOf,
  schedulesStatement,
  scheduleToWire,
} from './schedule-meta.ts';

/** The oldest runtime that a function may run with. Contract 03, section 3.3. */
const runtimeMinimum = '3.7.0';

/** A public path that leads to a function. */
export interface LiveRoute {
  readonly pattern: string;
  /** Null: all. */
  readonly methods: readonly string[] | null;
}

/** A function of the live release of a project. */
export interface LiveFunction {
  /** Where it is called with a key of the project. */
  readonly url: string;
  readonly name: string;
  readonly releaseId: string;
  readonly runtime: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly schedule: string | null;
  readonly schedules: readonly ShownSchedule[];
  /** The triggers that mail fires. */
  readonly mailTriggers: readonly MailTrigger[];
  readonly requireAuth: boolean;
  /** Whose users it answers by their role; null: the role is not asked. */
  readonly requireRole: RoleGate | null;
  /** The public paths that lead to it, in the order in which they are matched. */
  readonly routes: readonly LiveRoute[];
  /** Packages, as its specification names them. */
  readonly deps: readonly string[];
  readonly class: 'standard' | 'ssr';
  /** Version of what it is run by. */
  readonly runtimeVersion: string;
  /** Whether a build of now would have a newer one. */
  readonly isStale: boolean;
  readonly depsResolved: Readonly<Record<string, string>>;
  /** When a release had it first. */
  readonly createdAt: Date;
  /** When a release had it first as it is now. */
  readonly updatedAt: Date;
}

export const FunctionSummaryWire = z
  .object({
    name: z.string(),
    url: z.url(),
    release_id: z.string(),
    runtime: z.string(),
    timeout: z.int().describe('In seconds.'),
    memory: z.int().describe('In megabytes.'),
    class: z.enum(['standard', 'ssr']),
    require_auth: z.boolean(),
    require_role: z
      .object({ table: z.string(), allowed: z.array(z.string()) })
      .nullable()
      .describe('The table that tells roles, and those that the function answers.'),
    routes: z.array(z.object({ pattern: z.string(), methods: z.array(z.string()).nullable() })),
    schedule: z.string().nullable(),
    schedule_meta: ScheduleMetaWire.nullable().describe('Of all its schedules.'),
    schedules: z.array(ScheduleWire),
    mail_triggers: z.array(
      z.object({ trigger_id: z.string(), mailbox: z.string(), events: z.array(z.string()), event_type: z.string() }),
    ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    runtime_version: z.string(),
    runtime_current_version: z.string(),
    runtime_minimum_version: z.string(),
    deps_resolved: z.record(z.string(), z.string()),
    runtime_stale: z.boolean(),
  })
  .meta({ id: 'FunctionSummary' });

export const functionToWire = (one: LiveFunction): z.output<typeof FunctionSummaryWire> => ({
  name: one.name,
  url: one.url,
  release_id: one.releaseId,
  runtime: one.runtime,
  timeout: one.timeoutSeconds,
  memory: one.memoryMb,
  class: one.class,
  require_auth: one.requireAuth,
  require_role: one.requireRole && { table: one.requireRole.table, allowed: [...one.requireRole.allowed] },
  routes: one.routes.map(({ pattern, methods }) => ({ pattern, methods: methods && [...methods] })),
  schedule: one.schedule,
  schedule_meta: scheduleMetaOf(one.schedules),
  schedules: one.schedules.map(scheduleToWire),
  mail_triggers: one.mailTriggers.map(({ id, mailbox, events, run }) => ({
    trigger_id: id,
    mailbox,
    events: [...events],
    event_type: run.eventType,
  })),
  created_at: one.createdAt.toISOString(),
  updated_at: one.updatedAt.toISOString(),
  runtime_version: one.runtimeVersion,
  runtime_current_version: runtimeVersion,
  runtime_minimum_version: runtimeMinimum,
  deps_resolved: { ...one.depsResolved },
  runtime_stale: one.isStale,
});

/** One of them by its name. @throws FUNCTION_NOT_FOUND */
export async function liveFunction(
  services: Services,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  rows: Rows,
  name: string,
): Promise<LiveFunction> {
  const found = (await liveFunctions(services, scope, rows)).find((one) => one.name === name);
  if (found === undefined) throw new ServiceError('FUNCTION_NOT_FOUND', { details: { function: name } });
  return found;
}

/** A function as its release has it, but for its files, of which there may be many. */
type Kept = Omit<ReleasedFunction, 'files'>;

/** The functions of the live release of a project. @param rows of the transaction that they are to be read in */
export async function liveFunctions(
  services: Services,
  { org, project }: { readonly org: { readonly id: string }; readonly project: { readonly id: string } },
  rows: Rows,
): Promise<LiveFunction[]> {
  const owner = { orgId: org.id, projectId: project.id };
  const [found, schedules] = await Promise.all([rows(liveStatement.with(owner)), rows(schedulesStatement.with(owner))]);
  return found.map(({ name, releaseId, runtimeVersion: version, depsResolved, createdAt, updatedAt, kept, routes }) => {
    const fn = kept as Kept;
    return {
      url: `${originOfGateway(services)}/functions/v1/${name}`,
      name,
      releaseId,
      runtime: fn.runtime,
      timeoutSeconds: fn.timeoutSeconds,
      memoryMb: fn.memoryMb,
      schedule: fn.schedule,
      schedules: schedules.filter((one) => one.function === name),
      mailTriggers: mailTriggersOf(fn),
      requireAuth: fn.requireAuth || fn.requireRole !== null,
      requireRole: fn.requireRole,
      routes,
      deps: fn.deps,
      class: fn.class,
      runtimeVersion: version,
      isStale: version !== runtimeVersion,
      depsResolved,
      createdAt,
      updatedAt,
    };
  });
}

/** The same function of any release. */
const earlier = alias(releaseFunctions, 'earlier');

// A tier allows few enough of them for one answer.
const liveStatement = statement(
  'functions.live',
  {
    params: pick(liveReleases, 'orgId', 'projectId'),
    row: {
      ...pick(releaseFunctions, 'name', 'releaseId', 'updatedAt'),
      ...pick(functionBuilds, 'runtimeVersion', 'depsResolved'),
      kept: computed<unknown>('jsonb', sql`(named.entry -> 1) - 'files'`),
      routes: computed<readonly LiveRoute[]>(
        'jsonb',
        sql`(select coalesce(jsonb_agg(jsonb_build_object('pattern', route -> 'pattern', 'methods', route -> 'methods')
            order by place), '[]')
          from jsonb_array_elements(${releases.body} -> 'routes') with ordinality as led (route, place)
          where route -> 'target' ->> 'type' = 'function' and route -> 'target' ->> 'name' = ${releaseFunctions.name})`,
      ),
      createdAt: computed<Date>(
        'timestamp with time zone',
        sql`(select min(${earlier.createdAt}) from ${from(earlier)} where ${earlier.orgId} = ${releaseFunctions.orgId}
          and ${earlier.projectId} = ${releaseFunctions.projectId} and ${earlier.name} = ${releaseFunctions.name})`,
      ),
    },
  },
  (given, row) => sql`select ${row} from ${liveReleases}
    join ${releases} on ${releases.orgId} = ${liveReleases.orgId} and ${releases.id} = ${liveReleases.releaseId}
    join ${releaseFunctions} on ${releaseFunctions.orgId} = ${liveReleases.orgId}
      and ${releaseFunctions.projectId} = ${liveReleases.projectId} and ${releaseFunctions.releaseId} = ${liveReleases.releaseId}
    join ${functionBuilds} on ${functionBuilds.orgId} = ${releaseFunctions.orgId}
      and ${functionBuilds.projectId} = ${releaseFunctions.projectId}
      and ${functionBuilds.fingerprint} = ${releaseFunctions.fingerprint}
    join lateral jsonb_array_elements(${releases.body} -> 'functions') as named (entry)
      on named.entry ->> 0 = ${releaseFunctions.name}
    where ${liveReleases.orgId} = ${given.orgId} and ${liveReleases.projectId} = ${given.projectId}
    order by ${releaseFunctions.name} collate "C"`,
);
