import { dropNulls } from '../core/drop-nulls.ts';
import { type ImportedUser, type ImportedUsers, importUsers } from '../resolvers/auth/import-users.ts';
import { builder } from './builder.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { fieldOf } from './operation-field.ts';
import { run } from './run.ts';

const ImportStatusEnum = builder.enumType('ImportStatus', {
  description: 'What became of a row of an import.',
  values: {
    IMPORTED: { value: 'imported', description: 'It is here now.' },
    UNCHANGED: { value: 'unchanged', description: 'It was here before, and stays as it was.' },
    SKIPPED: { value: 'skipped', description: 'It is not here; the reason says why.' },
  } as const,
});

const ImportedUserRef = builder.objectRef<ImportedUser>('ImportedUser').implement({
  description: 'A user of an import.',
  fields: (t) => ({
    userId: t.exposeString('id', { description: 'Native id, as it was given.' }),
    email: t.exposeString('email', { nullable: true, description: 'Address, as it was given.' }),
    status: t.expose('status', { type: ImportStatusEnum, description: 'What became of the user.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why the user was skipped, for example `email_taken`.',
    }),
    message: t.exposeString('message', { nullable: true, description: 'The same as a sentence.' }),
    leftOut: t.stringList({
      description: 'Names of what there is no place for, for example `phone`.',
      resolve: ({ leftOut }) => [...leftOut],
    }),
  }),
});

const ImportedUsersRef = builder.objectRef<ImportedUsers>('ImportedUsers').implement({
  description: 'What became of an import of users.',
  fields: (t) => ({
    imported: t.exposeInt('imported', { description: 'Users that are new.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Users that were here before.' }),
    skipped: t.exposeInt('skipped', { description: 'Users that were not imported.' }),
    users: t.field({
      type: [ImportedUserRef],
      description: 'Every user of the import, in its order.',
      resolve: ({ users }) => [...users],
    }),
  }),
});

const ImportedIdentityInput = builder.inputType('ImportedIdentityInput', {
  description: 'A social account of a user.',
  fields: (t) => ({
    provider: t.string({ description: 'Provider, for example `google`.' }),
    providerId: t.string({ description: 'Subject: the id of the account at the provider.' }),
    email: t.string({ required: false, description: 'Address of the account there.' }),
    createdAt: t.string({ required: false, description: 'When the account was linked.' }),
  }),
});

const ImportedUserInput = builder.inputType('ImportedUserInput', {
  description: 'A user of another platform.',
  fields: (t) => ({
    id: t.string({ description: 'Native id, a UUID; it is kept.' }),
    email: t.string({ required: false, description: 'Address of the user.' }),
    encryptedPassword: t.string({ required: false, description: 'bcrypt hash of the password, of cost 4 to 14.' }),
    emailConfirmedAt: t.string({ required: false, description: 'When the address was shown to be theirs.' }),
    createdAt: t.string({ required: false, description: 'When the user was made.' }),
    lastSignInAt: t.string({ required: false, description: 'When the user last signed in.' }),
    userMetadata: t.field({
      type: 'JSONObject',
      required: false,
      description: 'What the app keeps with the user; at most 16384 bytes.',
    }),
    appMetadata: t.field({ type: 'JSONObject', required: false, description: 'Read for its names only.' }),
    phone: t.string({ required: false, description: 'A user has no phone number here.' }),
    bannedUntil: t.string({ required: false, description: 'A user who is banned is skipped.' }),
    deletedAt: t.string({ required: false, description: 'A user who was deleted is skipped.' }),
    isAnonymous: t.boolean({ required: false, description: 'An anonymous user is skipped.' }),
    isSsoUser: t.boolean({ required: false, description: 'A user of single sign-on is skipped.' }),
    identities: t.field({
      type: [ImportedIdentityInput],
      required: false,
      description: 'Social accounts, at most 32.',
    }),
  }),
});

const ImportProjectUsersInput = builder.inputType('ImportProjectUsersInput', {
  description: 'Users to take over.',
  fields: (t) => ({
    project: t.id({ description: 'Project, by global or native id.' }),
    users: t.field({ type: [ImportedUserInput], description: 'The users, at most 1000.' }),
    ...keyField(t),
  }),
});

type Given = (typeof ImportProjectUsersInput)['$inferInput']['users'][number];

const userOf = ({ id, identities, userMetadata, appMetadata, ...given }: Given) => {
  const { email, encryptedPassword, emailConfirmedAt, createdAt, lastSignInAt, phone, bannedUntil, deletedAt, ...is } =
    given;
  return {
    id,
    ...dropNulls({
      email,
      encrypted_password: encryptedPassword,
      email_confirmed_at: emailConfirmedAt,
      created_at: createdAt,
      last_sign_in_at: lastSignInAt,
      user_metadata: userMetadata,
      app_metadata: appMetadata,
      phone,
      banned_until: bannedUntil,
      deleted_at: deletedAt,
      is_anonymous: is.isAnonymous,
      is_sso_user: is.isSsoUser,
    }),
    identities: identities?.map(({ provider, providerId, email: address, createdAt: linkedAt }) => ({
      provider,
      provider_id: providerId,
      ...dropNulls({ email: address, created_at: linkedAt }),
    })),
  };
};

builder.mutationField('importProjectUsers', (t) =>
  t.field({
    type: ImportedUsersRef,
    nullable: true,
    ...fieldOf(importUsers),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ImportProjectUsersInput, description: 'The users.' }) },
    resolve: (_root, { input: { project, users, idempotencyKey } }, ctx) =>
      run(
        importUsers,
        keyed(ctx, idempotencyKey ?? undefined),
        { project_id: nativeId('Project', project), users: users.map(userOf) },
        { project_id: 'project' },
      ),
  }),
);
