import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { onProject } from '../access.ts';
import { projectId } from '../fields.ts';
import { mutation } from '../operation.ts';
import { findProjectTarget } from '../project-target.ts';
import { email } from './auth-input.ts';
import { type AuthStatement, authRow } from './auth-rows.ts';
import { type ManagedUser, managedUserJson } from './project-users.ts';
import { forgetStandings } from './standing.ts';

export interface RoleChange {
  readonly user: ManagedUser;
  readonly changed: boolean;
}

const changingRole = (isAdmin: boolean, named: { name: `${string}.${string}`; summary: string }) =>
  mutation({
    ...named,
    access: onProject('project:users:write', ({ project }: { project: string }) => project),
    lifecycle: 'gated',
    input: z.object({ project: projectId, email }),
    async handler({ services, project }, { email }): Promise<RoleChange> {
      const target = await findProjectTarget(services, project.id);
      const change = await authRow<RoleChange>(services, target, changeStatement, [email, isAdmin]);
      if (change === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'No user has this address.' });
      forgetStandings(services);
      return change;
    },
    audit: ({ user, changed }, { project }) =>
      changed
        ? {
            action: isAdmin ? 'project.user_promoted' : 'project.user_demoted',
            object: { kind: 'project', id: project },
            details: { user_id: user.id },
          }
        : undefined,
    wire: z.object({ status: z.literal('ok'), email: z.string(), user_id: z.uuid(), is_admin: z.boolean() }),
    toWire: ({ user }) => ({
      status: 'ok' as const,
      email: user.email,
      user_id: user.id,
      is_admin: user.is_admin,
    }),
  });

/** `POST /projects/v1/admin/:project_id/promote-user`. Contract 01, section 2.9. */
export const promoteUser = changingRole(true, {
  name: 'users.promote',
  summary: 'Make a user of a project one of its admins, from its next token on.',
});

/** `POST /projects/v1/admin/:project_id/demote-user`. */
export const demoteUser = changingRole(false, {
  name: 'users.demote',
  summary: 'Make an admin of a project a user like others; its tokens lose the role at once.',
});

const changeStatement: AuthStatement = {
  name: 'user_role',
  text: `with known as (select id, is_admin from auth.users where email = $1 for update),
    u as (
      update auth.users u set is_admin = $2::boolean,
        authz_version = u.authz_version + case when known.is_admin <> $2::boolean then 1 else 0 end
      from known where u.id = known.id returning u.*
    )
    select json_build_object('user', ${managedUserJson('u')}, 'changed', known.is_admin <> $2::boolean) from u, known`,
};
