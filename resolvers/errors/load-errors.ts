import { sql } from '../../db/drizzle.ts';
import { type ErrorFingerprint, errorFingerprints } from '../../db/schema/errors.ts';
import { allOf, computed, pick, statement, typed } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type FingerprintKey, keyArrays, keysOf, type ReportedProject } from './reported.ts';

/** Other functions that each of some rows, which the caller has been shown, came up in; the last one first. */
export async function loadAlsoSeenIn(
  { services }: Pick<Context, 'services'>,
  rows: readonly ErrorFingerprint[],
): Promise<readonly (readonly string[])[]> {
  const asked = {
    orgIds: rows.map(({ orgId }) => orgId),
    projectIds: rows.map(({ projectId }) => projectId),
    ...keysOf(rows),
  };
  const found = await services.db.rows(alsoStatement.with(asked));
  return found.map(({ functions }) => functions);
}

/** Rows of a project that the caller has just added to. */
export function loadRecorded(
  { services }: Pick<Context, 'services'>,
  { orgId, projectId }: ReportedProject,
  rows: readonly FingerprintKey[],
): Promise<readonly ErrorFingerprint[]> {
  return services.db.rows(recordedStatement.with({ orgId, projectId, ...keysOf(rows) }));
}

const alsoStatement = statement(
  'errors.also-seen-in',
  {
    params: {
      orgIds: typed<readonly string[]>('uuid[]'),
      projectIds: typed<readonly string[]>('text[]'),
      ...keyArrays,
    },
    row: {
      functions: computed<readonly string[]>(
        'text[]',
        sql`array(select ${errorFingerprints.function} from ${errorFingerprints}
          where ${errorFingerprints.orgId} = g.org_id and ${errorFingerprints.projectId} = g.project_id
            and ${errorFingerprints.fingerprintId} = g.fingerprint_id and ${errorFingerprints.function} <> g.function
          order by ${errorFingerprints.lastSeen} desc, ${errorFingerprints.function})`,
      ),
    },
  },
  ({ orgIds, projectIds, fingerprintIds, functions }, row) => sql`select ${row}
    from unnest(${orgIds}::uuid[], ${projectIds}::text[], ${fingerprintIds}::text[], ${functions}::text[])
      with ordinality as g(org_id, project_id, fingerprint_id, function, ord)
    order by g.ord`,
);

const recordedStatement = statement(
  'errors.recorded',
  { params: { ...pick(errorFingerprints, 'orgId', 'projectId'), ...keyArrays }, row: allOf(errorFingerprints) },
  ({ orgId, projectId, fingerprintIds, functions }, row) => sql`select ${row} from ${errorFingerprints}
    where ${errorFingerprints.orgId} = ${orgId} and ${errorFingerprints.projectId} = ${projectId}
      and (${errorFingerprints.fingerprintId}, ${errorFingerprints.function})
        in (select * from unnest(${fingerprintIds}::text[], ${functions}::text[]))
    order by ${errorFingerprints.fingerprintId}, ${errorFingerprints.function}`,
);
