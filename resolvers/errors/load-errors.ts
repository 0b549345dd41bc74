import type { Statement } from '../../db/pool.ts';
import type { ErrorFingerprint } from '../../db/schema/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { FingerprintKey, ReportedProject } from './reported.ts';
import { fingerprintColumns } from './wire.ts';

/** Other functions that each of some rows, which the caller has been shown, came up in; the last one first. */
export async function loadAlsoSeenIn(
  { services }: Pick<Context, 'services'>,
  rows: readonly ErrorFingerprint[],
): Promise<readonly (readonly string[])[]> {
  const values = [
    rows.map(({ orgId }) => orgId),
    rows.map(({ projectId }) => projectId),
    rows.map(({ fingerprintId }) => fingerprintId),
    rows.map((row) => row.function),
  ];
  const found = await services.db.rows<{ functions: readonly string[] }>(alsoStatement, values);
  return found.map(({ functions }) => functions);
}

/** Rows of a project that the caller has just added to. */
export function loadRecorded(
  { services }: Pick<Context, 'services'>,
  { orgId, projectId }: ReportedProject,
  rows: readonly FingerprintKey[],
): Promise<readonly ErrorFingerprint[]> {
  const values = [orgId, projectId, rows.map(({ fingerprintId }) => fingerprintId), rows.map((row) => row.function)];
  return services.db.rows<ErrorFingerprint>(recordedStatement, values);
}

const alsoStatement: Statement = {
  name: 'errors.also-seen-in',
  text: `select array(select f.function from error_fingerprints f
      where f.org_id = g.org_id and f.project_id = g.project_id and f.fingerprint_id = g.fingerprint_id
        and f.function <> g.function
      order by f.last_seen desc, f.function) as functions
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) with ordinality
      as g(org_id, project_id, fingerprint_id, function, ord) order by g.ord`,
};

const recordedStatement: Statement = {
  name: 'errors.recorded',
  text: `select ${fingerprintColumns} from error_fingerprints f
    where f.org_id = $1 and f.project_id = $2
      and (f.fingerprint_id, f.function) in (select * from unnest($3::text[], $4::text[]))
    order by f.fingerprint_id, f.function`,
};
