import { domain } from '../../kernel/run/domain.ts';
import { archiveProject, reactivateProject } from './archive-project.ts';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { projectErrors } from './error-codes.ts';
import { getProject } from './get-project.ts';
import { getProjectKeys } from './get-project-keys.ts';
import { getUsage } from './get-usage.ts';
import { listProjects } from './list-projects.ts';
import { purgeProjects } from './purge-projects.ts';
import { renameProject } from './rename-project.ts';
import { setMaxAffected } from './set-max-affected.ts';
import { setRepoName } from './set-repo-name.ts';
import { projectActions } from './shared/actions.ts';
import { upgradeDatabases, upgradeDatabasesTask } from './upgrade-databases.ts';

export const projects = domain('projects', {
  errors: projectErrors,
  actions: projectActions,
  operations: [
    createProject,
    getProject,
    getProjectKeys,
    listProjects,
    renameProject,
    setRepoName,
    setMaxAffected,
    deleteProject,
    archiveProject,
    reactivateProject,
    getUsage,
  ],
  jobs: [{ task: upgradeDatabasesTask, run: upgradeDatabases, everyMinutes: 10 }],
  housekeeping: {
    'purge projects': async ({ ctx }) => void (await purgeProjects(ctx)),
    'end abandoned SQL': ({ ctx }) => ctx.services.projectDatabases.endAbandoned(),
  },
});
