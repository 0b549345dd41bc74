import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { type Access, onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { authActions } from './shared/actions.ts';
import type { AuthStatement } from './shared/auth-rows.ts';

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

/** A user as those who manage the project see it. */
export interface ManagedUser {
  readonly id: string;
  readonly email: string;
  readonly is_admin: boolean;
  readonly email_verified_at: string | null;
}

const managedUserJson = (alias: string): string =>
  `jsonb_build_object('id', ${alias}.id, 'email', ${alias}.email, 'is_admin', ${alias}.is_admin,
    'email_verified_at', ${alias}.email_verified_at)`;

export const managedByEmailStatement: AuthStatement = {
  name: 'managed_by_email',
  text: `select ${managedUserJson('u')} from auth.users u where u.email = $1`,
};

export const managedByIdStatement: AuthStatement = {
  name: 'managed_by_id',
  text: `select ${managedUserJson('u')} from auth.users u where u.id = $1::uuid`,
};

export const ManagedUserWire = {
  id: z.uuid(),
  email: z.string(),
  is_admin: z.boolean(),
  email_verified_at: z.iso.datetime().nullable(),
};

/** A change in a project's database is one statement: it has taken place, or it has not. */
export const nothingToUndo = async (): Promise<void> => undefined;
