import { createProject } from '../resolvers/projects/create-project.ts';
import { getProject } from '../resolvers/projects/get-project.ts';
import { getProjectKeys } from '../resolvers/projects/get-project-keys.ts';
import { listProjects } from '../resolvers/projects/list-projects.ts';
import { route } from './route.ts';

/** Paths of projects and their keys. Contract 01, sections 5.3 to 5.5. */
export const projectRoutes = [
  route('POST', '/projects/v1', 201, createProject, ({ body }) => ({
    name: body.name,
    org_id: body.org_id,
    tier: body.tier,
  })),
  route('GET', '/projects/v1', 200, listProjects, ({ query }) => ({
    org_id: query.org_id,
    limit: query.limit,
    after: query.after,
    include: query.include,
  })),
  route('GET', '/projects/v1/:id', 200, getProject, ({ params }) => ({ project: params.id })),
  route('GET', '/projects/v1/:id/keys', 200, getProjectKeys, ({ params }) => ({ project: params.id })),
];
