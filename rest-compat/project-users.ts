import { changeSettings, getSettings } from '../resolvers/auth/change-settings.ts';
import { createUser } from '../resolvers/auth/create-user.ts';
import { deleteUser } from '../resolvers/auth/delete-user.ts';
import { importUsers } from '../resolvers/auth/import-users.ts';
import { demoteUser, promoteUser } from '../resolvers/auth/promote-user.ts';
import { route } from './route.ts';

/** Paths by which a project's users are managed. Contract 01, sections 2.9, 3.7 and 3.11. */
export const projectUserRoutes = [
  route(
    'POST',
    '/auth/v1/admin/users',
    { usual: 201, of: ({ created }) => (created ? 201 : 200) },
    createUser,
    ({ body }) => ({
      project_id: body.project_id,
      email: body.email,
      is_admin: body.is_admin,
      password: body.password,
      email_confirm: body.email_confirm,
      data: body.data ?? body.user_metadata,
      send_invite: body.send_invite,
      redirect_url: body.redirect_url,
      client_state: body.client_state,
    }),
  ),
  route('POST', '/auth/v1/admin/users/import', 200, importUsers, ({ body }) => ({
    project_id: body.project_id,
    users: body.users,
  })),
  route('POST', '/projects/v1/admin/:project_id/promote-user', 200, promoteUser, ({ params, body }) => ({
    project: params.project_id,
    email: body.email,
  })),
  route('POST', '/projects/v1/admin/:project_id/demote-user', 200, demoteUser, ({ params, body }) => ({
    project: params.project_id,
    email: body.email,
  })),
  route('DELETE', '/auth/v1/admin/users/:user_id', 200, deleteUser, ({ params, query, body }) => ({
    project_id: query.project_id ?? body.project_id,
    user_id: params.user_id,
  })),
  route('GET', '/auth/v1/settings', 200, getSettings, ({ query }) => ({ project_id: query.project_id })),
  route('PATCH', '/auth/v1/settings', 200, changeSettings, ({ body }) => ({
    // Names that nobody knows are passed on, to be refused.
    ...body,
    project_id: body.project_id,
    allow_password_set: body.allow_password_set,
    preferred_sign_in_method: body.preferred_sign_in_method,
    public_signup: body.public_signup,
    require_passkey_for_project_admin: body.require_passkey_for_project_admin,
    allowed_email_domains: body.allowed_email_domains,
    allowed_redirect_urls: body.allowed_redirect_urls,
    add_redirect_urls: body.add_redirect_urls,
    remove_redirect_urls: body.remove_redirect_urls,
  })),
];
