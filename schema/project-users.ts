import { dropNulls } from '../core/drop-nulls.ts';
import { changeSettings, getSettings } from '../resolvers/auth/change-settings.ts';
import { type CreatedUser, createUser } from '../resolvers/auth/create-user.ts';
import { deleteUser } from '../resolvers/auth/delete-user.ts';
import type { ManagedUser } from '../resolvers/auth/project-users.ts';
import { demoteUser, promoteUser } from '../resolvers/auth/promote-user.ts';
import type { AuthSettings } from '../resolvers/auth/rows.ts';
import { builder } from './builder.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { fieldOf } from './operation-field.ts';
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

const ProjectUserRef = builder.objectRef<ManagedUser>('ProjectUser').implement({
  description: 'A user of a project, who signs in there and nowhere else.',
  fields: (t) => ({
    userId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    email: t.exposeString('email', { description: 'Address, in lower case.' }),
    isAdmin: t.exposeBoolean('is_admin', { description: 'Whether it manages the project.' }),
    emailVerifiedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the address was first shown to be theirs.',
      resolve: ({ email_verified_at }) => (email_verified_at === null ? null : new Date(email_verified_at)),
    }),
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

const project = 'Project, by global or native id.';

const roleInput = (name: string, description: string) =>
  builder.inputType(name, {
    description,
    fields: (t) => ({
      project: t.id({ description: project }),
      email: t.string({ description: 'Address of the user.' }),
      ...keyField(t),
    }),
  });

const PromoteProjectUserInput = roleInput('PromoteProjectUserInput', 'Which user becomes an admin.');
const DemoteProjectUserInput = roleInput('DemoteProjectUserInput', 'Which admin becomes a user like others.');

const DeleteProjectUserInput = builder.inputType('DeleteProjectUserInput', {
  description: 'Which user goes.',
  fields: (t) => ({
    project: t.id({ description: project }),
    userId: t.string({ description: 'Native id of the user, a UUID.' }),
    ...keyField(t),
  }),
});

const CreateProjectUserInput = builder.inputType('CreateProjectUserInput', {
  description: 'A user to make, or to change.',
  fields: (t) => ({
    project: t.id({ description: project }),
    email: t.string({ description: 'Address of the user.' }),
    isAdmin: t.boolean({ required: false, description: 'Whether it manages the project.' }),
    password: t.string({
      required: false,
      description: 'Password of a new user, 6 characters to 72 bytes; a known user is refused with it.',
    }),
    emailConfirm: t.boolean({
      required: false,
      description: 'Whether the address of a new user is known to be theirs.',
    }),
    data: t.field({
      type: 'JSONObject',
      required: false,
      description: 'What the app keeps with a new user; at most 16384 bytes.',
    }),
    sendInvite: t.boolean({ required: false, description: 'Whether a link to sign in is mailed.' }),
    redirectUrl: t.string({ required: false, description: 'Where the link leads, with `?token=` added.' }),
    clientState: t.string({ required: false, description: 'Given back with the session; at most 2048 bytes.' }),
    ...keyField(t),
  }),
});

const ChangeAuthSettingsInput = builder.inputType('ChangeAuthSettingsInput', {
  description: 'What is decided anew; what is absent stays as it is.',
  fields: (t) => ({
    project: t.id({ description: project }),
    allowPasswordSet: t.boolean({ required: false, description: 'Whether users without a password may set one.' }),
    preferredSignInMethod: t.field({
      type: SignInMethodEnum,
      required: false,
      description: 'What sign-in pages offer first; null for no preference.',
    }),
    publicSignup: t.field({ type: SignupPolicyEnum, required: false, description: 'Who may become a user unasked.' }),
    requirePasskeyForProjectAdmin: t.boolean({
      required: false,
      description: 'Whether an admin is one only after signing in with a passkey.',
    }),
    allowedEmailDomains: t.stringList({
      required: false,
      description: 'Domains whose addresses may sign in socially; an empty list for all.',
    }),
    allowedRedirectUrls: t.stringList({
      required: false,
      description: 'The whole list of URLs that sign-in may send browsers to.',
    }),
    addRedirectUrls: t.stringList({
      required: false,
      description: 'URLs to add to that list; at most 50 are on it.',
    }),
    removeRedirectUrls: t.stringList({
      required: false,
      description: 'URLs to take off that list; links that lead there end at once.',
    }),
    ...keyField(t),
  }),
});

const projectOf = (id: string) => nativeId('Project', id);

builder.objectField(ProjectRef, 'authSettings', (t) =>
  t.field({
    type: AuthSettingsRef,
    nullable: true,
    ...fieldOf(getSettings),
    resolve: ({ id }, _args, ctx) => run(getSettings, ctx, { project_id: id }),
  }),
);

builder.mutationFields((t) => ({
  promoteProjectUser: t.field({
    type: ProjectUserRef,
    nullable: true,
    ...fieldOf(promoteUser),
    authScopes: { credential: true },
    args: { input: t.arg({ type: PromoteProjectUserInput, description: 'The user.' }) },
    resolve: (_root, { input: { project, email, idempotencyKey } }, ctx) =>
      run(promoteUser, keyed(ctx, idempotencyKey ?? undefined), { project: projectOf(project), email }),
  }),
  demoteProjectUser: t.field({
    type: ProjectUserRef,
    nullable: true,
    ...fieldOf(demoteUser),
    authScopes: { credential: true },
    args: { input: t.arg({ type: DemoteProjectUserInput, description: 'The admin.' }) },
    resolve: (_root, { input: { project, email, idempotencyKey } }, ctx) =>
      run(demoteUser, keyed(ctx, idempotencyKey ?? undefined), { project: projectOf(project), email }),
  }),
  deleteProjectUser: t.field({
    type: ProjectUserRef,
    nullable: true,
    ...fieldOf(deleteUser),
    authScopes: { credential: true },
    args: { input: t.arg({ type: DeleteProjectUserInput, description: 'The user.' }) },
    resolve: (_root, { input: { project, userId, idempotencyKey } }, ctx) =>
      run(
        deleteUser,
        keyed(ctx, idempotencyKey ?? undefined),
        { project_id: projectOf(project), user_id: userId },
        { project_id: 'project', user_id: 'userId' },
      ),
  }),
  createProjectUser: t.field({
    type: CreatedProjectUserRef,
    nullable: true,
    ...fieldOf(createUser),
    authScopes: { credential: true },
    args: { input: t.arg({ type: CreateProjectUserInput, description: 'The user.' }) },
    resolve: (_root, { input: { project, idempotencyKey, ...given } }, ctx) => {
      const { email, isAdmin, password, emailConfirm, data, sendInvite, redirectUrl, clientState } = dropNulls(given);
      return run(
        createUser,
        keyed(ctx, idempotencyKey ?? undefined),
        {
          project_id: projectOf(project),
          email,
          ...dropNulls({
            is_admin: isAdmin,
            password,
            email_confirm: emailConfirm,
            data,
            send_invite: sendInvite,
            redirect_url: redirectUrl,
            client_state: clientState,
          }),
        },
        { project_id: 'project' },
      );
    },
  }),
  changeAuthSettings: t.field({
    type: AuthSettingsRef,
    nullable: true,
    ...fieldOf(changeSettings),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ChangeAuthSettingsInput, description: 'The settings.' }) },
    resolve: (_root, { input: { project, idempotencyKey, preferredSignInMethod, ...given } }, ctx) => {
      const changes = dropNulls(given);
      return run(
        changeSettings,
        keyed(ctx, idempotencyKey ?? undefined),
        {
          project_id: projectOf(project),
          ...(preferredSignInMethod === undefined ? {} : { preferred_sign_in_method: preferredSignInMethod }),
          ...dropNulls({
            allow_password_set: changes.allowPasswordSet,
            public_signup: changes.publicSignup,
            require_passkey_for_project_admin: changes.requirePasskeyForProjectAdmin,
            allowed_email_domains: changes.allowedEmailDomains,
            allowed_redirect_urls: changes.allowedRedirectUrls,
            add_redirect_urls: changes.addRedirectUrls,
            remove_redirect_urls: changes.removeRedirectUrls,
          }),
        },
        { project_id: 'project' },
      );
    },
  }),
}));
