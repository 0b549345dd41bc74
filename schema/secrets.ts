import { deleteSecret } from '../resolvers/secrets/delete-secret.ts';
import { listSecrets } from '../resolvers/secrets/list-secrets.ts';
import type { ShownSecret } from '../resolvers/secrets/secret.ts';
import { setSecret } from '../resolvers/secrets/set-secret.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const ProjectSecretRef = builder.objectRef<ShownSecret>('ProjectSecret').implement({
  description: 'A secret of a project. Nobody is shown its value.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'As what functions find it.' }),
    updatedBy: t.exposeString('updatedBy', {
      nullable: true,
      description: 'Who set it last, `prn_…`; null for the key of the project.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was set last.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was set first.' }),
  }),
});

builder.objectField(ProjectRef, 'secrets', (t) =>
  t.field({
    type: [ProjectSecretRef],
    nullable: true,
    ...fieldOf(listSecrets),
    resolve: ({ id }, _args, ctx) => run(listSecrets, ctx, { project: id }),
  }),
);

changeField('setSecret', setSecret, {
  type: ProjectSecretRef,
  input: 'A secret to set.',
  argument: 'The secret.',
  result: ({ secret }) => secret,
});

changeField('deleteSecret', deleteSecret, {
  type: ProjectSecretRef,
  input: 'A secret to delete.',
  argument: 'The secret.',
});
