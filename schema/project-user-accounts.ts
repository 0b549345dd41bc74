import { endUserSessions } from '../resolvers/auth/end-user-sessions.ts';
import { getProjectUser, type ProjectUserAccount } from '../resolvers/auth/get-project-user.ts';
import { listProjectUsers } from '../resolvers/auth/list-project-users.ts';
import { type SentLink, sendUserLink } from '../resolvers/auth/send-user-link.ts';
import { updateProjectUser } from '../resolvers/auth/update-project-user.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { dateOrNull, ProjectUserRef } from './project-users.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const LinkIntentEnum = builder.enumType('LinkIntent', {
  description: 'What a mailed link is for.',
  values: {
    SIGNIN: { value: 'signin', description: 'To sign in.' },
    RECOVERY: { value: 'recovery', description: 'To recover the account, and set a new password.' },
    INVITE: { value: 'invite', description: 'To come in for the first time.' },
  } as const,
});

type Identity = ProjectUserAccount['identities'][number];
type Passkey = ProjectUserAccount['passkeys'][number];
type Session = ProjectUserAccount['sessions'][number];

const IdentityRef = builder.objectRef<Identity>('ProjectUserIdentity').implement({
  description: 'A social account that signs a user in.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'Its provider, for example `google`.' }),
    providerSub: t.exposeString('provider_sub', { description: 'What the provider calls the user.' }),
    providerEmail: t.exposeString('provider_email', {
      nullable: true,
      description: 'Address that the provider tells.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was linked.',
      resolve: ({ created_at }) => new Date(created_at),
    }),
  }),
});

const PasskeyRef = builder.objectRef<Passkey>('ProjectUserPasskey').implement({
  description: 'A passkey that signs a user in.',
  fields: (t) => ({
    passkeyId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    rpId: t.exposeString('rp_id', { description: 'Host that it is bound to.' }),
    label: t.exposeString('label', { nullable: true, description: 'Name that its user gave it.' }),
    credentialBackedUp: t.exposeBoolean('credential_backed_up', {
      nullable: true,
      description: 'Whether it is kept in more than one place.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was registered.',
      resolve: ({ created_at }) => new Date(created_at),
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it last signed its user in.',
      resolve: ({ last_used_at }) => dateOrNull(last_used_at),
    }),
  }),
});

const SessionRef = builder.objectRef<Session>('ProjectUserSession').implement({
  description: 'A session of a user that has not ended.',
  fields: (t) => ({
    sessionId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    amr: t.stringList({
      description: 'How it began, for example `password` or `magic_link`.',
      resolve: ({ amr }) => [...amr],
    }),
    aal: t.exposeString('aal', { description: '`aal2` where it began with a passkey, else `aal1`.' }),
    provider: t.exposeString('provider', { nullable: true, description: 'Provider of the account it began with.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it began.',
      resolve: ({ created_at }) => new Date(created_at),
    }),
    lastRefreshedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its tokens were last renewed.',
      resolve: ({ last_refreshed_at }) => dateOrNull(last_refreshed_at),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it ends, unless it is refreshed.',
      resolve: ({ expires_at }) => new Date(expires_at),
    }),
    hardExpiresAt: t.field({
      type: 'DateTime',
      description: 'When it ends however often it is refreshed.',
      resolve: ({ hard_expires_at }) => new Date(hard_expires_at),
    }),
    passkeyId: t.exposeString('passkey_id', { nullable: true, description: 'The passkey that it began with, a UUID.' }),
  }),
});

const AccountRef = builder.objectRef<ProjectUserAccount>('ProjectUserAccount').implement({
  description: 'A user of a project with everything that signs it in.',
  fields: (t) => ({
    user: t.expose('user', { type: ProjectUserRef, description: 'The user.' }),
    userMetadata: t.expose('user_metadata', {
      type: 'JSONObject',
      description: 'Data that an app keeps with the user, who may write it.',
    }),
    identities: t.field({
      type: [IdentityRef],
      description: 'Its social accounts.',
      resolve: ({ identities }) => [...identities],
    }),
    passkeys: t.field({ type: [PasskeyRef], description: 'Its passkeys.', resolve: ({ passkeys }) => [...passkeys] }),
    sessions: t.field({
      type: [SessionRef],
      description: 'Its sessions that have not ended, newest first; at most 200.',
      resolve: ({ sessions }) => [...sessions],
    }),
    sessionCount: t.exposeInt('session_count', { description: 'How many sessions have not ended.' }),
  }),
});

const EndedSessionsRef = builder.objectRef<{ readonly ended: number }>('EndedUserSessions').implement({
  description: 'Sessions of a user that were ended.',
  fields: (t) => ({ ended: t.exposeInt('ended', { description: 'How many.' }) }),
});

const SentLinkRef = builder.objectRef<SentLink>('SentUserLink').implement({
  description: 'A mail with a link that is on its way to a user.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'Address it goes to.' }),
    intent: t.expose('intent', { type: LinkIntentEnum, description: 'What the link is for.' }),
  }),
});

const ProjectUserConnection = builder.connectionObject({ type: ProjectUserRef, name: 'ProjectUserConnection' });
const wanted = inputsOf(listProjectUsers, { omit: ['project', 'limit', 'after', 'before', 'from_end'] });

builder.objectField(ProjectRef, 'users', (t) =>
  t.field({
    type: ProjectUserConnection,
    nullable: true,
    ...fieldOf(listProjectUsers),
    args: { ...pageArgs, ...wanted.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(
        await run(listProjectUsers, ctx, { project: id, ...wanted.read(args), ...listWindowOf(args) }, wanted.names),
        args,
      ),
  }),
);

readField('projectUser', getProjectUser, { type: AccountRef });

changeField('updateProjectUser', updateProjectUser, {
  type: ProjectUserRef,
  input: 'What changes of a user.',
  argument: 'The changes.',
});

changeField('endProjectUserSessions', endUserSessions, {
  type: EndedSessionsRef,
  input: 'Whose sessions end.',
  argument: 'The user.',
});

changeField('sendProjectUserLink', sendUserLink, {
  type: SentLinkRef,
  input: 'Who is mailed a link.',
  argument: 'The user and the link.',
  types: { intent: LinkIntentEnum },
});
