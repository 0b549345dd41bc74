import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { toJson } from '../../db/json.ts';
import { users } from '../../db/project-schema/auth.ts';
import { setOf } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { type OperationNames, stepMutation } from '../../kernel/run/operation.ts';
import { email } from './auth-input.ts';
import { type ManagedUser, managedByEmailStatement, managedByIdStatement, nothingToUndo } from './project-users.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authActions } from './shared/actions.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';

const changingRole = (isAdmin: boolean, named: OperationNames) =>
  stepMutation({
    ...named,
    access: onProject(authActions['project:users:write'], ({ project }: { project: string }) => project),
    lifecycle: 'gated',
    input: z.object({ project: projectId, email }),
    steps: {
      async begin({ services, project, org }, { email }) {
        const target = await findProjectTarget(services, project.id);
        const user = await authRow(services, target, managedByEmailStatement.with({ email }));
        if (user === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'No user has this address.' });
        return {
          ref: { projectId: project.id, userId: user.id },
          orgId: org.id,
          audit: {
            action: isAdmin ? 'project.user_promoted' : 'project.user_demoted',
            object: { kind: 'project', id: project.id },
            details: { user_id: user.id, changed: user.is_admin !== isAdmin },
          },
        };
      },
      async effect({ services }, { projectId, userId }) {
        const target = await findProjectTarget(services, projectId!);
        await authRow(services, target, changeStatement.with({ user: userId!, isAdmin }));
        forgetAccountStatuses(services, target);
      },
      async settle({ services }, { projectId, userId }): Promise<ManagedUser> {
        const target = await findProjectTarget(services, projectId!);
        const user = await authRow(services, target, managedByIdStatement.with({ user: userId! }));
        if (user === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'No user has this address.' });
        return user;
      },
      undo: nothingToUndo,
    },
    wire: z.object({ status: z.literal('ok'), email: z.string(), user_id: z.uuid(), is_admin: z.boolean() }),
    toWire: ({ id, email, is_admin }) => ({ status: 'ok' as const, email, user_id: id, is_admin }),
  });

/** `POST /projects/v1/admin/:project_id/promote-user`. Contract 01, section 2.9. */
export const promoteUser = changingRole(true, {
  name: 'users.promote',
  tool: 'promote_user',
  command: 'projects promote-user',
  effects: ['idempotent'],
  summary: 'Make a user of a project one of its admins, from its next token on.',
  path: 'POST /projects/v1/admin/:project_id/promote-user',
});

/** `POST /projects/v1/admin/:project_id/demote-user`. */
export const demoteUser = changingRole(false, {
  name: 'users.demote',
  tool: 'demote_user',
  command: 'projects demote-user',
  effects: ['destructive', 'idempotent'],
  summary: 'Make an admin of a project a user like others; its tokens lose the role within 5 seconds.',
  path: 'POST /projects/v1/admin/:project_id/demote-user',
});

const changeStatement = authStatement(
  'user_role',
  { params: { user: users.id, isAdmin: users.isAdmin }, answer: toJson(users.id) },
  ({ user, isAdmin }, answer) => sql`update ${users}
    ${setOf(users, { isAdmin, authzVersion: sql`${users.authzVersion} + 1` })}
    where ${users.id} = ${user} and ${users.isAdmin} <> ${isAdmin} returning ${answer}`,
);
