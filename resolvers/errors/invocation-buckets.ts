import type { Statement } from '../../db/pool.ts';

/** How long invocations are remembered, in days. */
export const invocationsKeptDays = 30;

/** How long they are remembered by the minute, in days; a window that reaches further back counts whole hours there. */
export const minutesKeptDays = 3;

/** Functions, each under each of its releases, that are counted in one hour of a project. */
export const countedPerHourMax = 1_000;

/**
 * Adds counts (`$3`: a list of function, release_id, count and at) of the project `$1`, `$2` to their minute and hour.
 * Answers which of them were not there before.
 */
export const addInvocations: Statement = {
  name: 'errors.add-invocations',
  text: `insert into function_invocations as f (org_id, project_id, span, starts_at, function, release_id, count)
    select $1::uuid, $2, s.span, date_trunc(s.span, least(coalesce(i.at, now()), now()), 'UTC'), i.function,
      i.release_id, sum(i.count)
    from jsonb_to_recordset($3::jsonb) as i(function text, release_id text, count bigint, at timestamptz),
      (values ('minute'), ('hour')) as s(span)
    group by 3, 4, 5, 6 order by 3, 4, 5, 6
    on conflict (org_id, project_id, span, starts_at, function, release_id)
    do update set count = f.count + excluded.count
    returning span, starts_at as "startsAt", xmax = 0 as inserted`,
};

/** Has those who count a function of the project `$1` in an hour for the first time wait for each other. */
export const lockHours: Statement = {
  name: 'errors.lock-hours',
  text: `select pg_advisory_xact_lock(hashtextextended('invocations:' || $1, 0))`,
};

/** How many functions are counted in the fullest of some hours (`$3`) of the project `$1`, `$2`. */
export const countedInHours: Statement = {
  name: 'errors.counted-in-hours',
  text: `select coalesce(max(counted.functions), 0) as used from (
      select count(*)::int as functions from function_invocations
      where org_id = $1 and project_id = $2 and span = 'hour' and starts_at = any($3::timestamptz[]) group by starts_at
    ) counted`,
};

/**
 * How often functions of the project `$1`, `$2` ran between `since` and `until` of a row `asked`, under its `release_id`
 * if that is not null; each minute that the window touches counts as a whole. From the first hour that begins in the
 * window to the one that it ends in, hours are read, and minutes before and after them; where minutes are forgotten,
 * the hour that the window begins or ends in counts as a whole.
 *
 * @param name parameter with the function that is asked about, or null for all
 */
export function invocationsIn(asked: string, { name }: { readonly name: string }): string {
  const part = (span: string, range: string) => `select i.count from function_invocations i
    where i.org_id = $1 and i.project_id = $2 and i.span = '${span}' and ${range}
      and (${name}::text is null or i.function = ${name})
      and (${asked}.release_id is null or i.release_id = ${asked}.release_id)`;
  return `(select coalesce(sum(counted.count), 0) from (
      select within.since, within.hour, case when ${asked}.until < within.minutes
          then date_trunc('hour', ${asked}.until, 'UTC') + interval '1 hour'
          else greatest(date_trunc('hour', ${asked}.until, 'UTC'), within.hour) end as last_hour
      from (
        select date_trunc('minute', ${asked}.since, 'UTC') as since, kept.minutes,
          date_trunc('hour', ${asked}.since + case when ${asked}.since < kept.minutes then interval '0'
            else interval '59 minutes 59.999 seconds' end, 'UTC') as hour
        from (select date_trunc('hour', now() - interval '${minutesKeptDays} days', 'UTC') as minutes) kept
      ) within
    ) edge, lateral (
      ${part('minute', `i.starts_at >= edge.since and i.starts_at < edge.hour and i.starts_at <= ${asked}.until`)}
      union all ${part('hour', 'i.starts_at >= edge.hour and i.starts_at < edge.last_hour')}
      union all ${part('minute', `i.starts_at >= edge.last_hour and i.starts_at <= ${asked}.until`)}
    ) counted)`;
}
