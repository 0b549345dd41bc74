import { changeSettings } from '../resolvers/auth/change-settings.ts';
import { createUser } from '../resolvers/auth/create-user.ts';
import { deleteUser } from '../resolvers/auth/delete-user.ts';
import { listProjectUsers } from '../resolvers/auth/list-project-users.ts';
import { route } from './route.ts';

/** Paths by which a project's users are managed. Contract 01, sections 2.9, 3.7 and 3.11. */
export const projectUserRoutes = [
  route('GET', '/projects/v1/admin/:project_id/users', 200, listProjectUsers, { before: null, from_end: null }),
  route('POST', '/auth/v1/admin/users', { usual: 201, of: ({ created }) => (created ? 201 : 200) }, createUser, {
    data: ['body data', 'body user_metadata'],
  }),
  route('DELETE', '/auth/v1/admin/users/:user_id', 200, deleteUser, {
    project_id: ['query project_id', 'body project_id'],
  }),
  route('PATCH', '/auth/v1/settings', 200, changeSettings, {}, { passesUnknown: true }),
];
