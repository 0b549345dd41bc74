import type { Statement } from '../../db/pool.ts';

/** How long invocations are remembered, in days. */
export const invocationsKeptDays = 30;

/** Adds counts (`$3`: a list of function, release_id, count and at) of the project `$1`, `$2` to their minute and hour. */
export const addInvocations: Statement = {
  name: 'errors.add-invocations',
  text: `insert into function_invocations as f (org_id, project_id, span, starts_at, function, release_id, count)
    select $1::uuid, $2, s.span, date_trunc(s.span, least(coalesce(i.at, now()), now()), 'UTC'), i.function,
      i.release_id, sum(i.count)
    from jsonb_to_recordset($3::jsonb) as i(function text, release_id text, count bigint, at timestamptz),
      (values ('minute'), ('hour')) as s(span)
    group by 3, 4, 5, 6 order by 3, 4, 5, 6
    on conflict (org_id, project_id, span, starts_at, function, release_id)
    do update set count = f.count + excluded.count`,
};

/**
 * How often functions of the project `$1`, `$2` ran between `since` and `until` of a row `asked`, under its `release_id`
 * if that is not null; each minute that the window touches counts as a whole. From the first hour that begins in the
 * window to the one that it ends in, hours are read, and minutes before and after them.
 *
 * @param name parameter with the function that is asked about, or null for all
 */
export function invocationsIn(asked: string, { name }: { readonly name: string }): string {
  const part = (span: string, range: string) => `select i.count from function_invocations i
    where i.org_id = $1 and i.project_id = $2 and i.span = '${span}' and ${range}
      and (${name}::text is null or i.function = ${name})
      and (${asked}.release_id is null or i.release_id = ${asked}.release_id)`;
  return `(select coalesce(sum(counted.count), 0) from (
      select date_trunc('minute', ${asked}.since, 'UTC') as since,
        date_trunc('hour', ${asked}.since + interval '59 minutes 59.999 seconds', 'UTC') as hour,
        greatest(date_trunc('hour', ${asked}.until, 'UTC'),
          date_trunc('hour', ${asked}.since + interval '59 minutes 59.999 seconds', 'UTC')) as last_hour
    ) edge, lateral (
      ${part('minute', `i.starts_at >= edge.since and i.starts_at < edge.hour and i.starts_at <= ${asked}.until`)}
      union all ${part('hour', 'i.starts_at >= edge.hour and i.starts_at < edge.last_hour')}
      union all ${part('minute', `i.starts_at >= edge.last_hour and i.starts_at <= ${asked}.until`)}
    ) counted)`;
}
