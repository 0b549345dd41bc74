import { commitContent } from '../resolvers/content/commit-content.ts';
import { planContent } from '../resolvers/content/plan-content.ts';
import { route } from './route.ts';

/** Paths of what is uploaded for a project. Contract 03, section 2.1. */
export const contentRoutes = [
  route(
    'POST',
    '/content/v1/plans',
    200,
    planContent,
    { project: ['body project_id', 'body project'] },
    { keyDecides: true },
  ),
  route(
    'POST',
    '/content/v1/plans/:plan_id/commit',
    200,
    commitContent,
    { project: ['body project_id', 'body project'] },
    { keyDecides: true },
  ),
];
