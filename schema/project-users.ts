import { changeSettings, getSettings } from '../resolvers/auth/change-settings.ts';
import { type CreatedUser, createUser } from '../resolvers/auth/create-user.ts';
import { deleteUser } from '../resolvers/auth/delete-user.ts';
import type { ManagedUser } from '../resolvers/auth/project-users.ts';
import { demoteUser, promoteUser } from '../resolvers/auth/promote-user.ts';
import type { AuthSettings } from '../resolvers/auth/rows.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const SignInMethodEnum = builder.enumType('SignInMethod', {
  description: 'A way in which a project’s users sign in.',
  values: {
    PASSWORD: { value: 'password', description: 'With a password.' },
    MAGIC_LINK: { value: 'magic_link', description: 'By a link or a code in a mail.' },
    OAUTH_GOOGLE: { value: 'oauth_google', description: 'With a Google account.' },
    PASSKEY: { value: 'passkey', description: 'With a passkey.' },
  } as const,
});

const SignupPolicyEnum = builder.enumType('SignupPolicy', {
  description: 'Who may become a user of a project unasked.',
  values: {
    OPEN: { value: 'open', description: 'Anybody.' },
    KNOWN_EMAIL: { value: 'known_email', description: 'Nobody; whose address is known signs in by mail.' },
    INVITE_ONLY: { value: 'invite_only', description: 'Nobody but who was invited.' },
  } as const,
});

/** A time that an answer of a project's database spells. */
export const dateOrNull = (text: string | null) => (text === null ? null : new Date(text));

const AuthSettingsRef = builder.objectRef<AuthSettings>('AuthSettings').implement({
  description: 'What a project decides about how its users sign in.',
  fields: (t) => ({
    allowPasswordSet: t.exposeBoolean('allow_password_set', {
      description: 'Whether users without a password may set one.',
    }),
    preferredSignInMethod: t.expose('preferred_sign_in_method', {
      type: SignInMethodEnum,
      nullable: true,
      description: 'What sign-in pages offer first.',
    }),
    publicSignup: t.expose('public_signup', {
      type: SignupPolicyEnum,
      description: 'Who may become a user unasked.',
    }),
    requirePasskeyForProjectAdmin: t.exposeBoolean('require_passkey_for_project_admin', {
      description: 'Whether an admin is one only after signing in with a passkey.',
    }),
    allowedEmailDomains: t.stringList({
      description: 'Domains whose addresses may sign in socially; none for all.',
      resolve: ({ allowed_email_domains }) => [...allowed_email_domains],
    }),
    allowedRedirectUrls: t.stringList({
      description:
        'URLs that sign-in may send browsers to, besides the hosts of the project and `http://localhost`. Each covers all paths below it.',
      resolve: ({ allowed_redirect_urls }) => [...allowed_redirect_urls],
    }),
  }),
});

export const ProjectUserRef = builder.objectRef<ManagedUser>('ProjectUser').implement({
  description: 'A user of a project, who signs in there and nowhere else.',
  fields: (t) => ({
    userId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    email: t.exposeString('email', { description: 'Address, in lower case.' }),
    isAdmin: t.exposeBoolean('is_admin', { description: 'Whether it manages the project.' }),
    emailVerifiedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the address was first shown to be theirs.',
      resolve: ({ email_verified_at }) => dateOrNull(email_verified_at),
    }),
    displayName: t.exposeString('display_name', { nullable: true, description: 'Name to show.' }),
    avatarUrl: t.exposeString('avatar_url', { nullable: true, description: 'Address of a picture.' }),
    isTest: t.exposeBoolean('is_test', { description: 'Whether it was made for an app’s tests.' }),
    lastSignInAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When a session of it last began.',
      resolve: ({ last_sign_in_at }) => dateOrNull(last_sign_in_at),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: ({ created_at }) => new Date(created_at),
    }),
    hasPassword: t.exposeBoolean('has_password', { description: 'Whether it has a password.' }),
    providers: t.stringList({
      description: 'Providers of its social accounts, for example `google`.',
      resolve: ({ providers }) => [...providers],
    }),
    passkeyCount: t.exposeInt('passkey_count', { description: 'Passkeys it can sign in with.' }),
  }),
});

const CreatedProjectUserRef = builder.objectRef<CreatedUser>('CreatedProjectUser').implement({
  description: 'A user that was made or changed.',
  fields: (t) => ({
    user: t.expose('user', { type: ProjectUserRef, description: 'The user.' }),
    created: t.exposeBoolean('created', { description: 'Whether it was made just now.' }),
    inviteSent: t.exposeBoolean('inviteSent', { description: 'Whether a mail with an invitation is on its way.' }),
  }),
});

builder.objectField(ProjectRef, 'authSettings', (t) =>
  t.field({
    type: AuthSettingsRef,
    nullable: true,
    ...fieldOf(getSettings),
    resolve: ({ id }, _args, ctx) => run(getSettings, ctx, { project_id: id }),
  }),
);

/** No key of a project is a credential of the graph's that would say which project is meant. */
export const ofItsProject = {
  required: ['project_id'],
  describe: { project_id: 'Project, by global or native id.' },
} as const;

changeField('promoteProjectUser', promoteUser, {
  type: ProjectUserRef,
  input: 'Which user becomes an admin.',
  argument: 'The user.',
});

changeField('demoteProjectUser', demoteUser, {
  type: ProjectUserRef,
  input: 'Which admin becomes a user like others.',
  argument: 'The admin.',
});

changeField('deleteProjectUser', deleteUser, {
  type: ProjectUserRef,
  input: 'Which user goes.',
  argument: 'The user.',
  ...ofItsProject,
});

changeField('createProjectUser', createUser, {
  type: CreatedProjectUserRef,
  input: 'A user to make, or to change.',
  argument: 'The user.',
  ...ofItsProject,
  types: { client_state: 'String' },
});

changeField('changeAuthSettings', changeSettings, {
  type: AuthSettingsRef,
  input: 'What is decided anew; what is absent stays as it is.',
  argument: 'The settings.',
  ...ofItsProject,
  types: { preferred_sign_in_method: SignInMethodEnum, public_signup: SignupPolicyEnum },
});
