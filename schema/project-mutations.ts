import { archiveProject, reactivateProject } from '../resolvers/projects/archive-project.ts';
import { createProject } from '../resolvers/projects/create-project.ts';
import { deleteProject } from '../resolvers/projects/delete-project.ts';
import { renameProject } from '../resolvers/projects/rename-project.ts';
import { setMaxAffected } from '../resolvers/projects/set-max-affected.ts';
import { setRepoName } from '../resolvers/projects/set-repo-name.ts';
import type { ProjectRow } from '../resolvers/projects/shared/wire.ts';
import { changeField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';

const projectOf = ({ project }: { readonly project: ProjectRow }) => project;

changeField('createProject', createProject, {
  type: ProjectRef,
  input: 'What a new project is called and where it belongs.',
  argument: 'The new project.',
  omit: ['tier'],
  result: projectOf,
});

changeField('renameProject', renameProject, {
  type: ProjectRef,
  input: 'What a project is called from now on.',
  argument: 'The name.',
  result: projectOf,
});

changeField('setProjectRepoName', setRepoName, {
  type: ProjectRef,
  input: 'The address form that a project’s repository goes by from now on.',
  argument: 'The name.',
  result: projectOf,
});

changeField('setProjectMaxAffected', setMaxAffected, {
  type: ProjectRef,
  input: 'How many rows one update or delete of a project’s rows may change from now on.',
  argument: 'The bound.',
  result: projectOf,
});

changeField('deleteProject', deleteProject, {
  type: ProjectRef,
  input: 'Which project is deleted.',
  argument: 'The project; what it was is answered.',
});

changeField('archiveProject', archiveProject, {
  type: ProjectRef,
  input: 'Which project is put away.',
  argument: 'The project.',
  result: projectOf,
});

changeField('reactivateProject', reactivateProject, {
  type: ProjectRef,
  input: 'Which project is taken into use again.',
  argument: 'The project.',
  result: projectOf,
});
