import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Answer, asKept, jsonList, jsonObject } from '../../db/json.ts';
import { identities, named, passkeys, users } from '../../db/project-schema/auth.ts';
import { computed, from, pick } from '../../db/sql.ts';
import { type Access, onProject, type ProjectScope } from '../../kernel/access/access.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { projectId } from '../../kernel/input/fields.ts';
import type { Services } from '../../kernel/run/context.ts';
import { momentOf, momentOrNull } from './rows.ts';
import { authActions } from './shared/actions.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';

/** The project that a change is about: named, or the one whose key it is. */
export const ownProject = projectId.optional().describe('Project; the key’s own when absent.');

/** The right to manage a project's users, on the project that is named, or else on the one whose key it is. */
export const onOwnProject = <Input extends { readonly project_id?: string | undefined }>(): Access<
  Input,
  ProjectScope
> => {
  const named = onProject<{ project: string }>(authActions['project:users:write'], ({ project }) => project);
  return {
    action: named.action,
    addressed: ({ project_id: project }) => project,
    prefetch: (ctx, principalId, { project_id: project }) =>
      project === undefined ? undefined : named.prefetch!(ctx, principalId, { project }),
    async authorise(ctx, caller, { project_id: project }, ahead) {
      if (project !== undefined) return named.authorise(ctx, caller, { project }, ahead);
      if (caller.kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
      if (caller.kind !== 'project_key') {
        const reason = 'is required without a key of the project';
        throw new ServiceError('VALIDATION_FAILED', {
          message: `project_id: ${reason}`,
          details: { field: 'project_id', reason },
        });
      }
      if (caller.role === 'anon') throw new ServiceError('FORBIDDEN', { message: 'This is for the service key.' });
      return named.authorise(ctx, caller, { project: caller.projectId });
    },
  };
};

const u = named(users, 'u');
const i = named(identities, 'i');
const p = named(passkeys, 'p');

/** A user as those who manage the project see it in lists. */
export const managedUserJson = (of: typeof users) =>
  jsonObject({
    ...asKept(
      pick(
        of,
        'id',
        'email',
        'displayName',
        'avatarUrl',
        'emailVerifiedAt',
        'isAdmin',
        'isTest',
        'lastSignInAt',
        'createdAt',
      ),
    ),
    has_password: computed<boolean>('boolean', sql`${of.passwordHash} is not null`),
    /** Of the accounts that are linked, each provider once. */
    providers: jsonList(
      computed<string>('text', sql`linked.provider`),
      sql`from (select distinct ${i.provider} as provider from ${from(i)} where ${i.userId} = ${of.id}) linked`,
      sql`linked.provider`,
    ),
    passkey_count: computed<number>(
      'integer',
      sql`(select count(*)::int from ${from(p)} where ${p.userId} = ${of.id})`,
    ),
  });

const managedJson = managedUserJson(u);

/** A user as those who manage the project see it. */
export type ManagedUser = Answer<typeof managedJson>;

export const managedByEmailStatement = authStatement(
  'managed_by_email',
  { params: { email: u.email }, answer: managedJson },
  ({ email }, answer) => sql`select ${answer} from ${from(u)} where ${u.email} = ${email}`,
);

export const managedByIdStatement = authStatement(
  'managed_by_id',
  { params: { user: u.id }, answer: managedJson },
  ({ user }, answer) => sql`select ${answer} from ${from(u)} where ${u.id} = ${user}`,
);

export const ManagedUserWire = {
  id: z.uuid(),
  email: z.string(),
  is_admin: z.boolean(),
  email_verified_at: z.iso.datetime().nullable(),
};

/** The members of {@link ManagedUserWire}: what the documented paths tell of a user that was made, changed or deleted. */
export const managedToWire = ({ id, email, is_admin, email_verified_at }: ManagedUser) => ({
  id,
  email,
  is_admin,
  email_verified_at: momentOrNull(email_verified_at),
});

export const ListedUserWire = z
  .object({
    ...ManagedUserWire,
    display_name: z.string().nullable(),
    avatar_url: z.string().nullable(),
    is_test: z.boolean(),
    last_sign_in_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    has_password: z.boolean(),
    providers: z.array(z.string()),
    passkey_count: z.number().int(),
  })
  .meta({ id: 'ListedUser' });

/** A user as lists tell of it. */
export const listedToWire = (user: ManagedUser): z.output<typeof ListedUserWire> => ({
  ...user,
  providers: [...user.providers],
  email_verified_at: momentOrNull(user.email_verified_at),
  last_sign_in_at: momentOrNull(user.last_sign_in_at),
  created_at: momentOf(user.created_at),
});

/** A user of a project that an operation is about. */
export const userId = z.string().min(1).max(64).describe('The user, a UUID.');

/** @throws RESOURCE_NOT_FOUND, also for a text that is no id */
export async function requireManaged(
  services: Services,
  target: Pick<ProjectTarget, 'database'>,
  user: string,
): Promise<ManagedUser> {
  const found = z.uuid().safeParse(user).success
    ? await authRow(services, target, managedByIdStatement.with({ user }))
    : undefined;
  if (found === undefined) throw noSuchUser();
  return found;
}

export const noSuchUser = () => new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such user.' });

/** A change in a project's database is one statement: it has taken place, or it has not. */
export const nothingToUndo = async (): Promise<void> => undefined;
