import { createBinding } from '../resolvers/ci/create-binding.ts';
import { route } from './route.ts';

/** The path of CI that names its project in the body. Contract 03, section 9. */
export const ciRoutes = [
  route('POST', '/ci/v1/bindings', 201, createBinding, { project: ['body project_id', 'body project'] }),
];
