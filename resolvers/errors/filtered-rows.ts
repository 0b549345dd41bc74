import { type SQL, sql } from '../../db/drizzle.ts';
import { errorFingerprints, releaseActivations } from '../../db/schema/errors.ts';
import { type ParametersOf, pick, typed } from '../../db/sql.ts';

/** Which of a project’s failures are asked for, and in which window. */
export interface ErrorsFilter {
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

const filter = typed<string | null>('text');

/** The parameters of {@link filteredRows}. */
export const filterParams = {
  ...pick(errorFingerprints, 'orgId', 'projectId'),
  since: typed<Date | null>('timestamp with time zone'),
  until: typed<Date | null>('timestamp with time zone'),
  ofFunction: filter,
  ofKind: filter,
  fingerprint: filter,
  newIn: filter,
};

/** The parameters of {@link filteredRows} in a statement. */
export type FilterSql = { readonly [Name in keyof typeof filterParams]: SQL };

/** What is asked, as the values of {@link filterParams}. */
export const valuesOf = (asked: ErrorsFilter): ParametersOf<typeof filterParams> => ({
  orgId: asked.orgId,
  projectId: asked.projectId,
  since: asked.since ?? null,
  until: asked.until ?? null,
  ofFunction: asked.function ?? null,
  ofKind: asked.kind ?? null,
  fingerprint: asked.fingerprint ?? null,
  newIn: asked.newIn ?? null,
});

/**
 * The first parts of a statement about some of a project’s failures: `asked`, a row with the window and the release that
 * is compared, and `rows`, each with whether it is `shown` and `new`.
 *
 * The project's rows are read once, without their samples: there are 5,000 at most. An identity is new when the earliest
 * of its rows is, in whichever function, so the function that is asked for is picked only after that; all rows of an
 * identity are of one kind.
 */
export const filteredRows = (given: FilterSql): SQL => sql`asked as (
      select coalesce(${given.since}::timestamptz, u.until - interval '24 hours') as since, u.until,
        case when ${given.newIn}::text = 'active' then (
          select ${releaseActivations.releaseId} from ${releaseActivations}
          where ${releaseActivations.orgId} = ${given.orgId} and ${releaseActivations.projectId} = ${given.projectId}
          order by ${releaseActivations.activatedAt} desc, ${releaseActivations.seq} desc limit 1)
          else ${given.newIn} end as release_id
      from (select date_trunc('milliseconds', coalesce(${given.until}::timestamptz, now())) as until) u
    ), identities as (
      select ${errorFingerprints.fingerprintId}, ${errorFingerprints.function}, ${errorFingerprints.lastSeen},
        ${errorFingerprints.lastSeen} >= asked.since and ${errorFingerprints.firstSeen} <= asked.until as shown,
        case when asked.release_id is null
          then first_value(${errorFingerprints.firstSeen}) over identity >= asked.since
          else coalesce(first_value(${errorFingerprints.firstSeenReleaseId}) over identity = asked.release_id, false)
          end as new
      from ${errorFingerprints}, asked
      where ${errorFingerprints.orgId} = ${given.orgId} and ${errorFingerprints.projectId} = ${given.projectId}
        and (${given.ofKind}::text is null or ${errorFingerprints.kind} = ${given.ofKind})
        and (${given.fingerprint}::text is null or ${errorFingerprints.fingerprintId} = ${given.fingerprint})
      window identity as (partition by ${errorFingerprints.fingerprintId}
        order by ${errorFingerprints.firstSeen}, ${errorFingerprints.function})
    ), rows as materialized (
      select * from identities i where ${given.ofFunction}::text is null or i.function = ${given.ofFunction}
    )`;
