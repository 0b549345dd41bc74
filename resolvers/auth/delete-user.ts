import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { stepMutation } from '../../kernel/run/operation.ts';
import {
  type ManagedUser,
  ManagedUserWire,
  managedByIdStatement,
  nothingToUndo,
  onOwnProject,
  ownProject,
} from './project-users.ts';
import { momentOrNull } from './rows.ts';
import { type AuthStatement, authRow } from './shared/auth-rows.ts';
import { forgetStandings } from './shared/standing.ts';

/** `DELETE /auth/v1/admin/users/:user_id`: an addition, since tenant SQL does not reach the users of its project. */
export const deleteUser = stepMutation({
  name: 'users.delete',
  tool: 'delete_auth_user',
  command: 'auth delete-user',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete a user of a project, with its sessions and all it signs in by; its rows stay.',
  access: onOwnProject(),
  lifecycle: 'gated',
  input: z.object({
    project_id: ownProject,
    user_id: z.string().min(1).max(64).describe('The user, a UUID.'),
  }),
  steps: {
    async begin({ services, project, org }, { user_id }) {
      const target = await findProjectTarget(services, project.id);
      const user = z.uuid().safeParse(user_id).success
        ? await authRow<ManagedUser>(services, target, managedByIdStatement, [user_id])
        : undefined;
      if (user === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such user.' });
      return {
        ref: { projectId: project.id, user: JSON.stringify(user) },
        orgId: org.id,
        audit: {
          action: 'project.user_deleted',
          object: { kind: 'project', id: project.id },
          details: { user_id: user.id, email: user.email },
        },
      };
    },
    async effect({ services }, { projectId, user }) {
      const target = await findProjectTarget(services, projectId!);
      await authRow(services, target, deleteStatement, [(JSON.parse(user!) as ManagedUser).id]);
      forgetStandings(services, target);
    },
    settle: async (_work, { user }): Promise<ManagedUser> => JSON.parse(user!) as ManagedUser,
    undo: nothingToUndo,
  },
  wire: z.object(ManagedUserWire),
  toWire: (user) => ({ ...user, email_verified_at: momentOrNull(user.email_verified_at) }),
});

const deleteStatement: AuthStatement = {
  name: 'user_delete',
  // A mail that is on its way would make the user anew.
  text: `with gone as (delete from auth.users where id = $1::uuid returning id, email)
    , mails as (delete from auth.challenges where email in (select email from gone))
    select to_json(id) from gone`,
};
