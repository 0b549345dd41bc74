import type { CiBinding } from '../resolvers/ci/binding-row.ts';
import { createBinding } from '../resolvers/ci/create-binding.ts';
import { getBinding, listBindings } from '../resolvers/ci/read-bindings.ts';
import { revokeBinding } from '../resolvers/ci/revoke-binding.ts';
import { setAssetScopes } from '../resolvers/ci/set-asset-scopes.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const CiBindingRef = builder.objectRef<CiBinding>('CiBinding').implement({
  description: 'Workflows of CI that may deploy to a project.',
  fields: (t) => ({
    bindingId: t.exposeString('id', { description: 'Native id, `bnd_…`.' }),
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    issuer: t.exposeString('issuer', { description: 'Who issues their tokens.' }),
    subjectMatch: t.exposeString('subjectMatch', {
      description: 'The subject of their tokens, or what it begins with, before a final `*`.',
    }),
    allowedEvents: t.exposeStringList('allowedEvents', { description: 'Events that start them.' }),
    routeScopes: t.exposeStringList('routeScopes', { description: 'Routes that they may change.' }),
    assetKeyScopes: t.exposeStringList('assetKeyScopes', { description: 'Assets that they may put.' }),
    githubRepositoryId: t.exposeString('githubRepositoryId', {
      nullable: true,
      description: 'The one repository that they may be of; null: any whose subject matches.',
    }),
    createdBy: t.exposeString('createdBy', { nullable: true, description: 'Whose wallet signed it, `prn_…`.' }),
    createdSig: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What the wallet signed.',
      resolve: ({ createdSig }) => (createdSig === null ? null : { ...createdSig }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends; null: never.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a workflow used it last.',
    }),
    useCount: t.float({
      description: 'How often workflows used it.',
      resolve: ({ useCount }) => Number(useCount),
    }),
  }),
});

builder.objectField(ProjectRef, 'ciBindings', (t) =>
  t.field({
    type: [CiBindingRef],
    nullable: true,
    ...fieldOf(listBindings),
    resolve: ({ id }, _args, ctx) => run(listBindings, ctx, { project: id }),
  }),
);

readField('ciBinding', getBinding, { type: CiBindingRef });

changeField('createCiBinding', createBinding, {
  type: CiBindingRef,
  input: 'A binding of CI to make.',
  argument: 'Which workflows may deploy, and what a wallet signed for that.',
  // There is one of each.
  omit: ['provider', 'allowed_actions'],
});

changeField('revokeCiBinding', revokeBinding, {
  type: CiBindingRef,
  input: 'A binding of CI to end.',
  argument: 'The binding.',
});

changeField('setCiAssetScopes', setAssetScopes, {
  type: CiBindingRef,
  input: 'Assets that workflows may put.',
  argument: 'The binding, and keys and prefixes.',
});
