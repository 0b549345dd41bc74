import { type SQL, sql } from '../../db/drizzle.ts';
import { functionInvocations } from '../../db/schema/errors.ts';
import { computed, excluded, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { FilterSql } from './filtered-rows.ts';

/** How long invocations are remembered, in days. */
export const invocationsKeptDays = 30;

/** How long they are remembered by the minute, in days; a window that reaches further back counts whole hours there. */
export const minutesKeptDays = 3;

/** Functions, each under each of its releases, that are counted in one hour of a project. */
export const countedPerHourMax = 1_000;

const project = pick(functionInvocations, 'orgId', 'projectId');
const bucketKey = pick(functionInvocations, 'orgId', 'projectId', 'span', 'startsAt', 'function', 'releaseId');

/**
 * Adds counts, a list of function, release_id, count, failed, latency and at as JSON, to their minute and hour of a project.
 * Answers which of them were not there before.
 */
export const addInvocations = statement(
  'errors.add-invocations',
  {
    params: { ...project, counts: typed<string>('jsonb') },
    row: {
      ...pick(functionInvocations, 'span', 'startsAt'),
      inserted: computed<boolean>('boolean', sql`xmax = 0`),
    },
  },
  ({ orgId, projectId, counts }, row) => sql`insert into ${functionInvocations} (${namesOf(
    ...Object.values(bucketKey),
    functionInvocations.count,
    functionInvocations.failed,
    functionInvocations.latency,
  )})
    -- The platform alone measures, and names each function of a release once: there is one histogram of a group.
    select ${orgId}::uuid, ${projectId}, s.span, date_trunc(s.span, least(coalesce(i.at, now()), now()), 'UTC'),
      i.function, i.release_id, sum(i.count), sum(coalesce(i.failed, 0)), coalesce(max(i.latency), '{}')
    from jsonb_to_recordset(${counts}::jsonb)
        as i(function text, release_id text, count bigint, failed bigint, latency integer[], at timestamptz),
      (values ('minute'), ('hour')) as s(span)
    group by 3, 4, 5, 6 order by 3, 4, 5, 6
    on conflict (${namesOf(...Object.values(bucketKey))}) do update ${setOf(functionInvocations, {
      count: sql`${functionInvocations.count} + ${excluded(functionInvocations.count)}`,
      failed: sql`${functionInvocations.failed} + ${excluded(functionInvocations.failed)}`,
      latency: sql`array(
        select coalesce(known, 0) + coalesce(added, 0) from unnest(${functionInvocations.latency}, ${excluded(functionInvocations.latency)})
          with ordinality as bucket (known, added, place) order by place)`,
    })}
    returning ${row}`,
);

/** How many functions are counted in the fullest of some hours of a project. */
export const countedInHours = statement(
  'errors.counted-in-hours',
  {
    params: { ...project, hours: typed<readonly string[]>('timestamp with time zone[]') },
    row: { used: computed<number>('integer', sql`coalesce(max(counted.functions), 0)`) },
  },
  ({ orgId, projectId, hours }, row) => sql`select ${row} from (
      select count(*)::int as functions from ${functionInvocations}
      where ${functionInvocations.orgId} = ${orgId} and ${functionInvocations.projectId} = ${projectId}
        and ${functionInvocations.span} = 'hour' and ${functionInvocations.startsAt} = any(${hours}::timestamptz[])
      group by ${functionInvocations.startsAt}
    ) counted`,
);

/**
 * How often functions of a project ran between `since` and `until` of the row `asked`, under its `release_id` if that is
 * not null; each minute that the window touches counts as a whole. From the first hour that begins in the window to the
 * one that it ends in, hours are read, and minutes before and after them; where minutes are forgotten, the hour that the
 * window begins or ends in counts as a whole.
 *
 * @param given among others the function that is asked about, or null for all
 */
export function invocationsIn({ orgId, projectId, ofFunction }: FilterSql): SQL {
  const { startsAt } = functionInvocations;
  const part = (span: SQL, range: SQL) => sql`select ${functionInvocations.count} from ${functionInvocations}
    where ${functionInvocations.orgId} = ${orgId} and ${functionInvocations.projectId} = ${projectId}
      and ${functionInvocations.span} = ${span} and ${range}
      and (${ofFunction}::text is null or ${functionInvocations.function} = ${ofFunction})
      and (asked.release_id is null or ${functionInvocations.releaseId} = asked.release_id)`;
  return sql`(select coalesce(sum(counted.count), 0) from (
      select within.since, within.hour, case when asked.until < within.minutes
          then date_trunc('hour', asked.until, 'UTC') + interval '1 hour'
          else greatest(date_trunc('hour', asked.until, 'UTC'), within.hour) end as last_hour
      from (
        select date_trunc('minute', asked.since, 'UTC') as since, kept.minutes,
          date_trunc('hour', asked.since + case when asked.since < kept.minutes then interval '0'
            else interval '59 minutes 59.999 seconds' end, 'UTC') as hour
        from (select date_trunc('hour', now() - ${sql.raw(`interval '${minutesKeptDays} days'`)}, 'UTC') as minutes) kept
      ) within
    ) edge, lateral (
      ${part(sql`'minute'`, sql`${startsAt} >= edge.since and ${startsAt} < edge.hour and ${startsAt} <= asked.until`)}
      union all ${part(sql`'hour'`, sql`${startsAt} >= edge.hour and ${startsAt} < edge.last_hour`)}
      union all ${part(sql`'minute'`, sql`${startsAt} >= edge.last_hour and ${startsAt} <= asked.until`)}
    ) counted)`;
}
