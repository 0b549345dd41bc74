import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { ErrorFingerprint } from '../../db/schema/errors.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { ErrorFingerprintWire, fingerprintColumns, fingerprintToWire, samplesOf } from './wire.ts';

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
  access: onProject(projectActions['project:read'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    fingerprint: z.string().min(1).max(64, 'at most 64 characters').describe('The identity, `fp_…`.'),
  }),
  async handler({ services, org, project }, { fingerprint }): Promise<ErrorDetail> {
    const values = [org.id, project.id, fingerprint];
    const rows = await services.db.rows<ErrorFingerprint>(findStatement, values);
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

const findStatement: Statement = {
  name: 'errors.find',
  text: `select ${fingerprintColumns} from error_fingerprints f
    where f.org_id = $1 and f.project_id = $2 and f.fingerprint_id = $3
    order by f.last_seen desc, f.function`,
};
