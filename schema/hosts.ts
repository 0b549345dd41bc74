import type { Subdomain } from '../resolvers/hosts/shared/subdomain.ts';
import { claimSubdomain } from '../resolvers/hosts/subdomains/claim-subdomain.ts';
import { deleteSubdomain } from '../resolvers/hosts/subdomains/delete-subdomain.ts';
import { listSubdomains } from '../resolvers/hosts/subdomains/list-subdomains.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const SubdomainRef = builder.objectRef<Subdomain>('Subdomain').implement({
  description: 'A name below the platform’s domain that a project is served under.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name before the platform’s domain.' }),
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    url: t.exposeString('url', { description: 'Where it leads, without a slash at its end.' }),
    deploymentId: t.exposeString('deploymentId', {
      nullable: true,
      description: 'The deployment that it was last pointed to, `dpl_…`.',
    }),
    deploymentUrl: t.exposeString('deploymentUrl', { nullable: true, description: 'That deployment’s own address.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was claimed.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was pointed to a deployment last.' }),
  }),
});

builder.objectField(ProjectRef, 'subdomains', (t) =>
  t.field({
    type: [SubdomainRef],
    nullable: true,
    ...fieldOf(listSubdomains),
    resolve: ({ id }, _args, ctx) => run(listSubdomains, ctx, { project: id }),
  }),
);

changeField('claimSubdomain', claimSubdomain, {
  type: SubdomainRef,
  input: 'A subdomain to claim.',
  argument: 'The subdomain.',
  result: ({ subdomain }) => subdomain,
});

changeField('deleteSubdomain', deleteSubdomain, {
  type: SubdomainRef,
  input: 'A subdomain to give up.',
  argument: 'The subdomain.',
});
