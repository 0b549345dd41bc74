import { listErrors } from '../resolvers/errors/list-errors.ts';
import { route } from './route.ts';

/** Paths to the failures of a project’s functions. Contract 02, section 4. */
export const errorRoutes = [
  route('GET', '/projects/v1/:project_id/errors', 200, listErrors, {
    after: 'query cursor',
    before: null,
    from_end: null,
  }),
];
