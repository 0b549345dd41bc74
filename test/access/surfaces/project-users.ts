import { makeProjectKey } from '../../../resolvers/identity/shared/project-keys.ts';
import { revive } from '../../helpers/revive.ts';
import type { Stage, Surfaces } from './surface.ts';

export const projectUserSurfaces = ({ params, service }: Stage): Surfaces => {
  const email = 'ada@example.com';
  const change =
    (name: string, selection: string, given: string | (() => string) = '') =>
    () =>
      `mutation { ${name}(input: { project: "${params.id}"${typeof given === 'string' ? given : given()} }) { ${selection} } }`;
  let userId: string;
  /** The project may have been deleted by now. */
  const prepare = async () => {
    await revive(service, params.id!);
    const body = { project_id: params.id, email };
    const [key] = await service.control.sql<{ created_at: Date }>('select created_at from projects where id = $1', [
      params.id,
    ]);
    const project = { id: params.id!, createdAt: key!.created_at, transferredAt: null };
    const apikey = await makeProjectKey(service.app.services.keys, project, 'service_role');
    const made = await service.call<{ id: string }>(service.actors.apikey(apikey), 'POST', '/auth/v1/admin/users', {
      body,
    });
    userId = made.body.id;
    return undefined;
  };
  const withUser = async () => {
    await prepare();
    return { user_id: userId };
  };
  const managed = 'members manage the users of a project without its service key';
  return {
    'GET /projects/v1/admin/:project_id/users': {
      addition: { status: 200, reason: managed },
      cells: 'A + + + N + A F',
      prepare,
      field: () => `{ project(id: "${params.id}") { users { edges { node { email } } } } }`,
    },
    'GET /projects/v1/admin/:project_id/users/:user_id': {
      addition: { status: 200, reason: managed },
      cells: 'A + + + N + A F',
      prepare: withUser,
      field: () => `{ projectUser(project: "${params.id}", userId: "${params.user_id}") { sessionCount } }`,
    },
    'PATCH /projects/v1/admin/:project_id/users/:user_id': {
      addition: { status: 200, reason: managed },
      cells: 'A + + F N + A F',
      body: () => ({ display_name: 'Ada' }),
      prepare: withUser,
      field: change('updateProjectUser', 'userId', () => `, userId: "${params.user_id}", displayName: "Ada"`),
    },
    'POST /projects/v1/admin/:project_id/users/:user_id/end-sessions': {
      addition: { status: 200, reason: managed },
      cells: 'A + + F N + A F',
      prepare: withUser,
      field: change('endProjectUserSessions', 'ended', () => `, userId: "${params.user_id}"`),
    },
    'POST /projects/v1/admin/:project_id/users/:user_id/send-link': {
      addition: { status: 200, reason: managed },
      cells: 'A + + F N + A F',
      body: () => ({ redirect_url: 'http://localhost:3000/' }),
      prepare: withUser,
      field: change(
        'sendProjectUserLink',
        'email',
        () => `, userId: "${params.user_id}", redirectUrl: "http://localhost:3000/"`,
      ),
    },
    'POST /projects/v1/admin/:project_id/promote-user': {
      cells: 'A + + F N + A F',
      body: () => ({ email }),
      prepare,
      field: change('promoteProjectUser', 'userId', `, email: "${email}"`),
    },
    'POST /projects/v1/admin/:project_id/demote-user': {
      cells: 'A + + F N + A F',
      body: () => ({ email }),
      prepare,
      field: change('demoteProjectUser', 'userId', `, email: "${email}"`),
    },
    'POST /auth/v1/admin/users': {
      cells: 'A + + F N + A F',
      body: () => ({ project_id: params.id, email }),
      status: 200,
      prepare,
      field: change('createProjectUser', 'created', `, email: "${email}"`),
    },
    'POST /auth/v1/admin/users/import': {
      addition: {
        status: 200,
        reason: 'users of another platform come along with their ids and the hashes of their passwords',
      },

      cells: 'A + + F N + A F',
      body: () => ({ project_id: params.id, users: [{ id: '6f1c5b2e-5d1f-4c8a-9b1e-0a4f6f3d2c1b', email }] }),
      prepare,
      field: change('importProjectUsers', 'imported', `, users: [{ id: "17" }]`),
    },
    'DELETE /auth/v1/admin/users/:user_id': {
      addition: { status: 200, reason: 'tenant SQL does not reach the users of its project' },

      cells: 'A + + F N + A F',
      search: () => `?project_id=${params.id}`,
      prepare: withUser,
      field: () =>
        `mutation { deleteProjectUser(input: { project: "${params.id}", userId: "${params.user_id}" }) { userId } }`,
    },
    'GET /auth/v1/settings': {
      cells: 'A + + + N + A F',
      search: () => `?project_id=${params.id}`,
      prepare,
      field: () => `{ project(id: "${params.id}") { authSettings { publicSignup } } }`,
    },
    'PATCH /auth/v1/settings': {
      cells: 'A + + F N + A F',
      body: () => ({ project_id: params.id, allow_password_set: true }),
      prepare,
      field: change('changeAuthSettings', 'publicSignup', ', allowPasswordSet: true'),
    },
  };
};
