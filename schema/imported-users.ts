import { type ImportedUser, type ImportedUsers, importUsers } from '../resolvers/auth/import-users.ts';
import { builder } from './builder.ts';
import { changeField } from './operation-field.ts';
import { ofItsProject } from './project-users.ts';

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

changeField('importProjectUsers', importUsers, {
  type: ImportedUsersRef,
  input: 'Users to take over.',
  argument: 'The users.',
  ...ofItsProject,
  types: {
    users: {
      name: 'ImportedUserInput',
      description: 'A user of another platform.',
      types: { identities: { name: 'ImportedIdentityInput', description: 'A social account of a user.' } },
    },
  },
});
