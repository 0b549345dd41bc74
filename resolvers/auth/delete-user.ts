import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { toJson } from '../../db/json.ts';
import { challenges, users } from '../../db/project-schema/auth.ts';
import { computed, pick } from '../../db/sql.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { stepMutation } from '../../kernel/run/operation.ts';
import {
  type ManagedUser,
  ManagedUserWire,
  managedToWire,
  nothingToUndo,
  onOwnProject,
  ownProject,
  requireManaged,
  userId,
} from './project-users.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';

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
    user_id: userId,
  }),
  steps: {
    async begin({ services, project, org }, { user_id }) {
      const target = await findProjectTarget(services, project.id);
      const user = await requireManaged(services, target, user_id);
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
      const { id } = JSON.parse(user!) as ManagedUser;
      await authRow(services, target, deleteStatement.with({ id }));
      forgetAccountStatuses(services, target);
    },
    settle: async (_work, { user }): Promise<ManagedUser> => JSON.parse(user!) as ManagedUser,
    undo: nothingToUndo,
  },
  wire: z.object(ManagedUserWire),
  toWire: managedToWire,
});

const deleteStatement = authStatement(
  'user_delete',
  { params: pick(users, 'id'), answer: toJson(computed<string>('uuid', sql`gone.id`)) },
  // A mail that is on its way would make the user anew.
  ({ id }, answer) => sql`with gone as (
      delete from ${users} where ${users.id} = ${id} returning ${users.id}, ${users.email}
    ), mails as (delete from ${challenges} where ${challenges.email} in (select gone.email from gone))
    select ${answer} from gone`,
);
