import { dropNulls } from '../core/drop-nulls.ts';
import { archiveProject, reactivateProject } from '../resolvers/projects/archive-project.ts';
import { createProject } from '../resolvers/projects/create-project.ts';
import { deleteProject } from '../resolvers/projects/delete-project.ts';
import { renameProject } from '../resolvers/projects/rename-project.ts';
import { setRepoName } from '../resolvers/projects/set-repo-name.ts';
import { builder } from './builder.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { projectField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'What a new project is called and where it belongs.',
  fields: (t) => ({
    name: t.string({ required: false, description: 'Name for people, at most 200 characters; made up when absent.' }),
    org: t.id({ required: false, description: 'Organization, by global or native id; the wallet’s own when absent.' }),
    ...keyField(t),
  }),
});

builder.mutationField('createProject', (t) =>
  t.field({
    type: ProjectRef,
    nullable: true,
    ...fieldOf(createProject),
    authScopes: { credential: true },
    args: { input: t.arg({ type: CreateProjectInput, description: 'The new project.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { name, org, idempotencyKey } = dropNulls(input);
      const given = dropNulls({ name, org_id: org === undefined ? undefined : nativeId('Organization', org) });
      const { project } = await run(createProject, keyed(ctx, idempotencyKey), given, { org_id: 'org' });
      return project;
    },
  }),
);

const RenameProjectInput = builder.inputType('RenameProjectInput', {
  description: 'What a project is called from now on.',
  fields: (t) => ({
    ...projectField(t),
    name: t.string({ description: 'Name for people, at most 200 characters.' }),
    ...keyField(t),
  }),
});

const SetProjectRepoNameInput = builder.inputType('SetProjectRepoNameInput', {
  description: 'The address form that a project’s repository goes by from now on.',
  fields: (t) => ({
    ...projectField(t),
    name: t.string({ description: 'At most 63 lower-case letters, digits and single hyphens between them.' }),
    ...keyField(t),
  }),
});

const projectInput = (name: string, description: string) =>
  builder.inputType(name, {
    description,
    fields: (t) => ({ ...projectField(t), ...keyField(t) }),
  });

const DeleteProjectInput = projectInput('DeleteProjectInput', 'Which project is deleted.');
const archivingInput = (name: string, description: string) =>
  builder.inputType(name, {
    description,
    fields: (t) => ({
      ...projectField(t),
      reason: t.string({ required: false, description: 'Why, for the trail; at most 500 characters.' }),
      ...keyField(t),
    }),
  });
const ArchiveProjectInput = archivingInput('ArchiveProjectInput', 'Which project is put away.');
const ReactivateProjectInput = archivingInput('ReactivateProjectInput', 'Which project is taken into use again.');

const projectOf = (id: string) => nativeId('Project', id);

builder.mutationFields((t) => ({
  renameProject: t.field({
    type: ProjectRef,
    nullable: true,
    ...fieldOf(renameProject),
    authScopes: { credential: true },
    args: { input: t.arg({ type: RenameProjectInput, description: 'The name.' }) },
    resolve: async (_root, { input: { project, name, idempotencyKey } }, ctx) =>
      (await run(renameProject, keyed(ctx, idempotencyKey ?? undefined), { project: projectOf(project), name }))
        .project,
  }),
  setProjectRepoName: t.field({
    type: ProjectRef,
    nullable: true,
    ...fieldOf(setRepoName),
    authScopes: { credential: true },
    args: { input: t.arg({ type: SetProjectRepoNameInput, description: 'The name.' }) },
    resolve: async (_root, { input: { project, name, idempotencyKey } }, ctx) =>
      (await run(setRepoName, keyed(ctx, idempotencyKey ?? undefined), { project: projectOf(project), name })).project,
  }),
  deleteProject: t.field({
    type: ProjectRef,
    nullable: true,
    ...fieldOf(deleteProject),
    authScopes: { credential: true },
    args: { input: t.arg({ type: DeleteProjectInput, description: 'The project; what it was is answered.' }) },
    resolve: (_root, { input: { project, idempotencyKey } }, ctx) =>
      run(deleteProject, keyed(ctx, idempotencyKey ?? undefined), { project: projectOf(project) }),
  }),
  archiveProject: t.field({
    type: ProjectRef,
    nullable: true,
    ...fieldOf(archiveProject),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ArchiveProjectInput, description: 'The project.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { project, reason, idempotencyKey } = dropNulls(input);
      return (await run(archiveProject, keyed(ctx, idempotencyKey), { project: projectOf(project), reason })).project;
    },
  }),
  reactivateProject: t.field({
    type: ProjectRef,
    nullable: true,
    ...fieldOf(reactivateProject),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ReactivateProjectInput, description: 'The project.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { project, reason, idempotencyKey } = dropNulls(input);
      return (await run(reactivateProject, keyed(ctx, idempotencyKey), { project: projectOf(project), reason }))
        .project;
    },
  }),
}));
