import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Answer, asKept, jsonObject } from '../../db/json.ts';
import { named, users } from '../../db/project-schema/auth.ts';
import { from, pick } from '../../db/sql.ts';
import { type Access, onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { authActions } from './shared/actions.ts';
import { authStatement } from './shared/auth-rows.ts';

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
const managedUserJson = jsonObject(asKept(pick(u, 'id', 'email', 'isAdmin', 'emailVerifiedAt')));

/** A user as those who manage the project see it. */
export type ManagedUser = Answer<typeof managedUserJson>;

export const managedByEmailStatement = authStatement(
  'managed_by_email',
  { params: { email: u.email }, answer: managedUserJson },
  ({ email }, answer) => sql`select ${answer} from ${from(u)} where ${u.email} = ${email}`,
);

export const managedByIdStatement = authStatement(
  'managed_by_id',
  { params: { user: u.id }, answer: managedUserJson },
  ({ user }, answer) => sql`select ${answer} from ${from(u)} where ${u.id} = ${user}`,
);

export const ManagedUserWire = {
  id: z.uuid(),
  email: z.string(),
  is_admin: z.boolean(),
  email_verified_at: z.iso.datetime().nullable(),
};

/** A change in a project's database is one statement: it has taken place, or it has not. */
export const nothingToUndo = async (): Promise<void> => undefined;
