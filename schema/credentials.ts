import type { CredentialKind } from '../db/schema/project-credentials.ts';
import { createToken, type IssuedToken } from '../resolvers/credentials/create-token.ts';
import type { CredentialRecord, IssuedCredential } from '../resolvers/credentials/credential-wire.ts';
import { issueCredential } from '../resolvers/credentials/issue-credential.ts';
import {
  type CredentialStatus,
  gatedOn,
  getCredentialStatus,
  listCredentials,
} from '../resolvers/credentials/read-credentials.ts';
import { revokeCredential } from '../resolvers/credentials/revoke-credential.ts';
import { rotateCredential } from '../resolvers/credentials/rotate-credential.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { changeField, fieldOf, inputsOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const CredentialKindEnum = builder.enumType('ProjectCredentialKind', {
  description: 'What a credential of a project grants.',
  values: {
    ANON: { value: 'anon', description: 'What the anon key grants.' },
    SERVICE: { value: 'service', description: 'What the service key grants.' },
  } as const satisfies Record<string, { value: CredentialKind; description: string }>,
});

const CredentialStateEnum = builder.enumType('ProjectCredentialState', {
  description: 'By which keys a project is reached.',
  values: {
    LEGACY: { value: 'legacy', description: 'By its own two keys alone.' },
    ROTATABLE: { value: 'rotatable', description: 'By credentials that can be rotated, too.' },
  } as const,
});

const CredentialRef = builder.objectRef<CredentialRecord>('ProjectCredential').implement({
  description: 'A further key of a project, which can be rotated and revoked by itself.',
  fields: (t) => ({
    credentialId: t.exposeString('id', { description: 'Native id, `pcr_…`.' }),
    projectId: t.exposeString('projectId', { description: 'Native id of the project, `prj_…`.' }),
    kind: t.expose('kind', { type: CredentialKindEnum, description: 'What it grants.' }),
    name: t.exposeString('name', { description: 'Name for people.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null for never.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends; null for never.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
    revokedReason: t.exposeString('revokedReason', {
      nullable: true,
      description: 'Why it was revoked; `rotated` and `transferred` are the gateway’s own words.',
    }),
    replacementOf: t.exposeString('replacementOf', {
      nullable: true,
      description: 'The credential that it was made in place of, `pcr_…`.',
    }),
  }),
});

const secret = 'The key itself, shown this once.';

const IssuedCredentialRef = builder.objectRef<IssuedCredential>('IssuedProjectCredential').implement({
  description: 'A credential together with its key.',
  fields: (t) => ({
    credential: t.expose('credential', { type: CredentialRef, description: 'The credential.' }),
    secret: t.exposeString('secret', { description: secret }),
  }),
});

const ProjectTokenRef = builder.objectRef<IssuedToken>('ProjectToken').implement({
  description: 'A key of a project that ends by itself.',
  fields: (t) => ({
    credential: t.expose('credential', { type: CredentialRef, description: 'What it grants and until when.' }),
    secret: t.exposeString('secret', { description: secret }),
    expiresIn: t.exposeInt('expiresIn', { description: 'Seconds for which it holds.' }),
  }),
});

const StatusRef = builder.objectRef<CredentialStatus>('ProjectCredentialStatus').implement({
  description: 'By which keys a project is reached.',
  fields: (t) => ({
    projectId: t.exposeString('projectId', { description: 'Native id of the project, `prj_…`.' }),
    state: t.expose('state', { type: CredentialStateEnum, description: 'Whether any credential holds.' }),
    rotatableCredentials: t.exposeInt('held', { description: 'How many credentials hold.' }),
    credentials: t.field({
      type: [CredentialRef],
      description: 'Those that are not revoked, 50 at most.',
      resolve: ({ credentials }) => [...credentials],
    }),
    gatedOn: t.stringList({
      description: 'What has to be before the own keys of the project could end.',
      resolve: ({ state }) => gatedOn(state),
    }),
  }),
});

const CredentialConnection = builder.connectionObject({ type: CredentialRef, name: 'ProjectCredentialConnection' });

const { args, read } = inputsOf(listCredentials, { omit: ['project'] });

builder.objectField(ProjectRef, 'credentials', (t) =>
  t.field({
    type: CredentialConnection,
    nullable: true,
    ...fieldOf(listCredentials),
    args: { ...pageArgs, ...args },
    resolve: async ({ id }, { first, after, last, before, ...given }, ctx) =>
      sliceConnection(await run(listCredentials, ctx, { ...read(given), project: id }), (one) => one.id, {
        first,
        after,
        last,
        before,
      }),
  }),
);

builder.objectField(ProjectRef, 'credentialStatus', (t) =>
  t.field({
    type: StatusRef,
    nullable: true,
    ...fieldOf(getCredentialStatus),
    resolve: ({ id }, _args, ctx) => run(getCredentialStatus, ctx, { project: id }),
  }),
);

changeField('issueProjectCredential', issueCredential, {
  type: IssuedCredentialRef,
  input: 'What the new credential grants.',
  argument: 'The new credential.',
  types: { kind: CredentialKindEnum },
});

changeField('rotateProjectCredential', rotateCredential, {
  type: IssuedCredentialRef,
  input: 'Which credential is replaced.',
  argument: 'The credential.',
  ids: { credential: null },
});

changeField('revokeProjectCredential', revokeCredential, {
  type: CredentialRef,
  input: 'Which credential ends.',
  argument: 'The credential.',
  ids: { credential: null },
});

changeField('issueProjectToken', createToken, {
  type: ProjectTokenRef,
  input: 'What the token grants, and for how long.',
  argument: 'The new token.',
  types: { kind: CredentialKindEnum },
});
