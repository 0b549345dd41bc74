import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type ErrorFingerprint, errorFingerprints } from '../../db/schema/errors.ts';
import { allOf, pick, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { ErrorFingerprintWire, fingerprintToWire, samplesOf } from './wire.ts';

/** One identity, as it was seen last. */
export interface ErrorDetail extends ErrorFingerprint {
  /** Other functions that it came up in, the last one first. */
  readonly alsoSeenIn: readonly string[];
}

/** `GET /projects/v1/:id/errors/:fingerprint_id`. Contract 02, section 4.3. */
export const getError = query({
  name: 'errors.get',
  tool: 'errors_list',
  command: 'errors <fingerprint_id>',
  summary: 'One failure of a project’s functions, with all its samples, where it was seen last.',
  path: 'GET /projects/v1/:project_id/errors/:fingerprint_id',
  access: onProject(projectActions['project:read'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    fingerprint: z.string().min(1).max(64, 'at most 64 characters').describe('The identity, `fp_…`.'),
  }),
  async handler({ services, org, project }, { fingerprint }): Promise<ErrorDetail> {
    const asked = { orgId: org.id, projectId: project.id, fingerprintId: fingerprint };
    const rows = await services.db.rows(findStatement.with(asked));
    const [latest, ...others] = rows;
    if (latest === undefined)
      throw new ServiceError('RESOURCE_NOT_FOUND', { details: { fingerprint_id: fingerprint } });
    return { ...latest, alsoSeenIn: others.map((row) => row.function) };
  },
  wire: ErrorFingerprintWire.extend({ also_seen_in_functions: z.array(z.string()).optional() }),
  toWire: (detail) => ({
    ...fingerprintToWire(detail, samplesOf(detail)),
    ...(detail.alsoSeenIn.length > 0 ? { also_seen_in_functions: [...detail.alsoSeenIn] } : {}),
  }),
});

const findStatement = statement(
  'errors.find',
  { params: pick(errorFingerprints, 'orgId', 'projectId', 'fingerprintId'), row: allOf(errorFingerprints) },
  ({ orgId, projectId: project, fingerprintId }, row) => sql`select ${row} from ${errorFingerprints}
    where ${errorFingerprints.orgId} = ${orgId} and ${errorFingerprints.projectId} = ${project}
      and ${errorFingerprints.fingerprintId} = ${fingerprintId}
    order by ${errorFingerprints.lastSeen} desc, ${errorFingerprints.function}`,
);
