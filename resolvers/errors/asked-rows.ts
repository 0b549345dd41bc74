/** Which of a project’s failures are asked for, and in which window. */
export interface AskedErrors {
  readonly orgId: string;
  readonly projectId: string;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly function?: string | undefined;
  readonly kind?: string | undefined;
  readonly fingerprint?: string | undefined;
  /** A release, or `active`. */
  readonly newIn?: string | undefined;
}

/** The values of `$1` to `$8` of {@link askedRows}. */
export const valuesOf = ({ orgId, projectId, since, until, ...filters }: AskedErrors): readonly unknown[] => [
  orgId,
  projectId,
  ...[since, until, filters.function, filters.kind, filters.fingerprint, filters.newIn].map((value) => value ?? null),
];

/**
 * The first parts of a statement about some of a project’s failures: `asked`, a row with the window and the release that
 * is compared, and `rows`, each with whether it is `shown` and `new`.
 *
 * The project's rows are read once, without their samples: there are 5,000 at most. An identity is new when the earliest
 * of its rows is, in whichever function, so the function that is asked for is picked only after that; all rows of an
 * identity are of one kind. $3 since, $4 until, $5 function, $6 kind, $7 fingerprint, $8 new_in.
 */
export const askedRows = `asked as (
      select coalesce($3::timestamptz, u.until - interval '24 hours') as since, u.until,
        case when $8::text = 'active' then (
          select release_id from release_activations where org_id = $1 and project_id = $2
          order by activated_at desc, seq desc limit 1) else $8 end as release_id
      from (select date_trunc('milliseconds', coalesce($4::timestamptz, now())) as until) u
    ), identities as (
      select f.fingerprint_id, f.function, f.last_seen,
        f.last_seen >= asked.since and f.first_seen <= asked.until as shown,
        case when asked.release_id is null then first_value(f.first_seen) over identity >= asked.since
          else coalesce(first_value(f.first_seen_release_id) over identity = asked.release_id, false) end as new
      from error_fingerprints f, asked
      where f.org_id = $1 and f.project_id = $2
        and ($6::text is null or f.kind = $6) and ($7::text is null or f.fingerprint_id = $7)
      window identity as (partition by f.fingerprint_id order by f.first_seen, f.function)
    ), rows as materialized (
      select * from identities i where $5::text is null or i.function = $5
    )`;
