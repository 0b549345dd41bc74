import type { Capability } from '../kernel/access/permissions.ts';
import { createGrant } from '../resolvers/grants/create-grant.ts';
import { listGrants } from '../resolvers/grants/list-grants.ts';
import { loadCapabilities } from '../resolvers/grants/load-capabilities.ts';
import { revokeGrant } from '../resolvers/grants/revoke-grant.ts';
import type { GrantRow } from '../resolvers/grants/wire.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { loaderOf } from './loader.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

export const CapabilityEnum = builder.enumType('Capability', {
  description: 'What a grant allows on a project.',
  values: {
    READ: { value: 'read', description: 'See the project.' },
    PROJECT_READ: { value: 'project.read', description: 'The same, as delegates spell it.' },
    DEPLOY: { value: 'deploy', description: 'Deploy releases.' },
    FUNCTIONS_WRITE: { value: 'functions:write', description: 'Change functions.' },
    SECRETS_READ: { value: 'secrets:read', description: 'See secrets.' },
    SECRETS_WRITE: { value: 'secrets:write', description: 'Set and delete secrets.' },
    DOMAINS_WRITE: { value: 'domains:write', description: 'Change domains.' },
    MAILBOX_WRITE: { value: 'mailbox:write', description: 'Change mailboxes.' },
    PROJECT_WRITE: {
      value: 'project:write',
      description: 'Read, rename, change and deploy the project: its SQL, what it exposes, its releases and assets.',
    },
    PROJECT_ARCHIVES_EXPORT: { value: 'project:archives:export', description: 'Export archives.' },
  } as const satisfies Record<string, { value: Capability; description: string }>,
});

const GrantRef = builder.objectRef<GrantRow>('Grant').implement({
  description: 'A capability on one project, given to a principal that need not be a member.',
  fields: (t) => ({
    grantId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    projectId: t.exposeString('projectId', { description: 'Native id of the project, `prj_…`.' }),
    principalId: t.exposeString('principalId', { description: 'Who holds it, `prn_…`.' }),
    displayName: t.exposeString('displayName', {
      nullable: true,
      description: 'The holder’s name for people; null until one is set.',
    }),
    wallet: t.exposeString('wallet', {
      nullable: true,
      description: 'The holder’s wallet in lower case; null when it has none any more.',
    }),
    capability: t.field({
      type: CapabilityEnum,
      description: 'What it allows.',
      resolve: ({ capability }) => capability as Capability,
    }),
    policy: t.expose('policy', { type: 'JSONObject', nullable: true, description: 'Conditions kept beside it.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends; null for never.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When an owner ended it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was given.' }),
  }),
});

const GrantConnection = builder.connectionObject({ type: GrantRef, name: 'GrantConnection' });

/** Of several projects in one statement. */
const capabilitiesOf = loaderOf(loadCapabilities);

builder.objectField(ProjectRef, 'grantedCapabilities', (t) =>
  t.field({
    type: [CapabilityEnum],
    description: 'What grants open to the caller here, besides what a role in the organization does.',
    resolve: ({ id }, _args, ctx) => capabilitiesOf(ctx).load(id),
  }),
);

builder.objectField(ProjectRef, 'grants', (t) =>
  t.field({
    type: GrantConnection,
    nullable: true,
    ...fieldOf(listGrants),
    args: pageArgs,
    resolve: async ({ id }, page, ctx) =>
      sliceConnection(await run(listGrants, ctx, { project: id }), (grant) => grant.id, page),
  }),
);

changeField('createGrant', createGrant, {
  type: GrantRef,
  input: 'Who gets what on which project.',
  argument: 'The new grant.',
  types: { capability: CapabilityEnum },
  result: ({ grant }) => grant,
});

changeField('revokeGrant', revokeGrant, {
  type: GrantRef,
  input: 'Which grant ends.',
  argument: 'The grant.',
  ids: { grant: null },
  result: ({ grant }) => grant,
});
