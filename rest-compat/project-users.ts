import { changeSettings, getSettings } from '../resolvers/auth/change-settings.ts';
import { createUser } from '../resolvers/auth/create-user.ts';
import { deleteUser } from '../resolvers/auth/delete-user.ts';
import { importUsers } from '../resolvers/auth/import-users.ts';
import { demoteUser, promoteUser } from '../resolvers/auth/promote-user.ts';
import { route } from './route.ts';

/** Paths by which a project's users are managed. Contract 01, sections 2.9, 3.7 and 3.11. */
export const projectUserRoutes = [
  route('POST', '/auth/v1/admin/users', { usual: 201, of: ({ created }) => (created ? 201 : 200) }, createUser, {
    data: ['body data', 'body user_metadata'],
  }),
  route('POST', '/auth/v1/admin/users/import', 200, importUsers),
  route('POST', '/projects/v1/admin/:project_id/promote-user', 200, promoteUser),
  route('POST', '/projects/v1/admin/:project_id/demote-user', 200, demoteUser),
  route('DELETE', '/auth/v1/admin/users/:user_id', 200, deleteUser, {
    project_id: ['query project_id', 'body project_id'],
  }),
  route('GET', '/auth/v1/settings', 200, getSettings),
  route('PATCH', '/auth/v1/settings', 200, changeSettings, {}, { passesUnknown: true }),
];
