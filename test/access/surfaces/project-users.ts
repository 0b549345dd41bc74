import type { Stage, Surfaces } from './surface.ts';

export const projectUserSurfaces = ({ params, service }: Stage): Surfaces => {
  const email = 'ada@example.com';
  const field =
    (name: string, selection: string, given = '') =>
    () =>
      `mutation { ${name}(input: { project: "${params.id}"${given} }) { ${selection} } }`;
  const withUser = async () => {
    const headers = { apikey: (await keyOf()) ?? '' };
    await service.call(service.actors.nobody, 'POST', '/auth/v1/admin/users', { body: { email }, headers });
    return undefined;
  };
  const keyOf = async () => {
    const [row] = await service.control.sql<{ created_at: Date }>('select created_at from projects where id = $1', [
      params.id,
    ]);
    const { makeProjectKey } = await import('../../../resolvers/identity/project-keys.ts');
    return (
      row && makeProjectKey(service.app.services.keys, { id: params.id!, createdAt: row.created_at }, 'service_role')
    );
  };
  return {
    'POST /projects/v1/admin/:project_id/promote-user': {
      cells: 'A + + F N + A F',
      body: () => ({ email }),
      prepare: withUser,
      field: field('promoteProjectUser', 'userId', `, email: "${email}"`),
    },
    'POST /projects/v1/admin/:project_id/demote-user': {
      cells: 'A + + F N + A F',
      body: () => ({ email }),
      prepare: withUser,
      field: field('demoteProjectUser', 'userId', `, email: "${email}"`),
    },
    'POST /auth/v1/admin/users': {
      cells: 'A + + F N + A F',
      body: () => ({ project_id: params.id, email }),
      status: 200,
      prepare: withUser,
      field: field('createProjectUser', 'created', `, email: "${email}"`),
    },
    'GET /auth/v1/settings': {
      cells: 'A + + + N + A F',
      search: () => `?project_id=${params.id}`,
      field: () => `{ project(id: "${params.id}") { authSettings { publicSignup } } }`,
    },
    'PATCH /auth/v1/settings': {
      cells: 'A + + F N + A F',
      body: () => ({ project_id: params.id, allow_password_set: true }),
      field: field('changeAuthSettings', 'publicSignup', ', allowPasswordSet: true'),
    },
  };
};
