import { getError } from '../resolvers/errors/get-error.ts';
import { listErrors } from '../resolvers/errors/list-errors.ts';
import { reportActivation } from '../resolvers/errors/report-activation.ts';
import { reportFidelity } from '../resolvers/errors/report-fidelity.ts';
import { reportInvocations } from '../resolvers/errors/report-invocations.ts';
import { reportOccurrences } from '../resolvers/errors/report-occurrences.ts';
import { route } from './route.ts';

/** Paths to the failures of a project’s functions. Contract 02, section 4. */
export const errorRoutes = [
  route('GET', '/projects/v1/:project_id/errors', 200, listErrors, {
    after: 'query cursor',
    before: null,
    from_end: null,
  }),
  route('GET', '/projects/v1/:project_id/errors/:fingerprint_id', 200, getError),
  route('POST', '/projects/v1/:project_id/errors/occurrences', 200, reportOccurrences),
  route('POST', '/projects/v1/:project_id/errors/activations', 200, reportActivation),
  route('POST', '/projects/v1/:project_id/errors/invocations', 200, reportInvocations),
  route('POST', '/projects/v1/:project_id/errors/fidelity', 200, reportFidelity),
];
