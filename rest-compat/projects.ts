import { archiveProject, reactivateProject } from '../resolvers/projects/archive-project.ts';
import { deleteProject } from '../resolvers/projects/delete-project.ts';
import { getProject } from '../resolvers/projects/get-project.ts';
import { getProjectKeys } from '../resolvers/projects/get-project-keys.ts';
import { listProjects } from '../resolvers/projects/list-projects.ts';
import { renameProject } from '../resolvers/projects/rename-project.ts';
import { setMaxAffected } from '../resolvers/projects/set-max-affected.ts';
import { setRepoName } from '../resolvers/projects/set-repo-name.ts';
import { route } from './route.ts';

/** Paths of projects, their keys and usage, the platform admin’s among them. Contract 01, sections 2.8, 5.3 to 5.8, 6.9. */
export const projectRoutes = [
  route('GET', '/projects/v1', 200, listProjects, { before: null, from_end: null }),
  route('GET', '/projects/v1/:id', 200, getProject, { project: 'path id' }),
  route('GET', '/projects/v1/:id/keys', 200, getProjectKeys, { project: 'path id' }),
  route('PATCH', '/projects/v1/:id', 200, renameProject, { project: 'path id' }),
  route('POST', '/projects/v1/:id/repo-name', 200, setRepoName, { project: 'path id' }),
  route('POST', '/projects/v1/:id/max-affected', 200, setMaxAffected, { project: 'path id' }),
  route('DELETE', '/projects/v1/:id', 200, deleteProject, { project: 'path id' }),
  route('POST', '/projects/v1/admin/:id/archive', 200, archiveProject, { project: 'path id' }),
  route('POST', '/projects/v1/admin/:id/reactivate', 200, reactivateProject, { project: 'path id' }),
];
