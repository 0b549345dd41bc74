import { getError } from '../resolvers/errors/get-error.ts';
import { listErrors } from '../resolvers/errors/list-errors.ts';
import { reportActivation } from '../resolvers/errors/report-activation.ts';
import { reportFidelity } from '../resolvers/errors/report-fidelity.ts';
import { reportInvocations } from '../resolvers/errors/report-invocations.ts';
import { reportOccurrences } from '../resolvers/errors/report-occurrences.ts';
import { route } from './route.ts';

/** Paths to the failures of a project’s functions. Contract 02, section 4. */
export const errorRoutes = [
  route('GET', '/projects/v1/:project_id/errors', 200, listErrors, ({ params, query }) => ({
    project: params.project_id,
    since: query.since,
    until: query.until,
    function: query.function,
    kind: query.kind,
    fingerprint: query.fingerprint,
    new_in: query.new_in,
    counts: query.counts,
    limit: query.limit,
    after: query.cursor,
  })),
  route('GET', '/projects/v1/:project_id/errors/:fingerprint_id', 200, getError, ({ params }) => ({
    project: params.project_id,
    fingerprint: params.fingerprint_id,
  })),
  route('POST', '/projects/v1/:project_id/errors/occurrences', 200, reportOccurrences, ({ params, body }) => ({
    project: params.project_id,
    occurrences: body.occurrences,
  })),
  route('POST', '/projects/v1/:project_id/errors/activations', 200, reportActivation, ({ params, body }) => ({
    project: params.project_id,
    release_id: body.release_id,
    at: body.at,
  })),
  route('POST', '/projects/v1/:project_id/errors/invocations', 200, reportInvocations, ({ params, body }) => ({
    project: params.project_id,
    invocations: body.invocations,
  })),
  route('POST', '/projects/v1/:project_id/errors/fidelity', 200, reportFidelity, ({ params, body }) => ({
    project: params.project_id,
    functions: body.functions,
  })),
];
