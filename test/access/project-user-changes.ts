import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to the users of a project, and to how they sign in. */
export function projectUserChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const email = 'ada@example.com';
  /** Beside that of the home, whose key may change nothing here. */
  let projectId: string;
  let userId: string;
  let serviceKey: string;
  /** By its own path, which no step of the platform's takes. */
  const newUser = async () => {
    const body = { email: `${crypto.randomUUID()}@example.com`, password: 'secret' };
    const key = service.actors.apikey(serviceKey);
    userId = (await service.call<{ id: string }>(key, 'POST', '/auth/v1/signup', { body })).body.id;
  };
  const change = (operation: string, action: string) => ({
    operation,
    action,
    kind: 'project',
    objectId: () => projectId,
    // What is written is in the project's database; its step is what the transaction of the audit row holds.
    written: `select j.xmin::text from graphile_worker._private_jobs j join step_operations s on s.id = j.key
      where s.operation = '${operation}' and s.ref ->> 'projectId' = $1`,
  });
  /** Its row is in the project's database: the trail's own comes before it, alone. */
  const inProject = (operation: string, action: string) => ({
    ...change(operation, action),
    written: `select xmin::text from audit_events where action = '${action}' and object_id = $1
      order by seq desc limit 1`,
  });
  const users = () => `/projects/v1/admin/${projectId}/users`;
  const named = (more: object) => () => ({ project_id: projectId, ...more });
  const role = (to: string) =>
    send(
      'POST',
      () => `/projects/v1/admin/${projectId}/${to}-user`,
      () => ({ email }),
    );
  return {
    adminOnly: [],
    async prepare() {
      const { orgId, wallet } = home();
      const options = { body: { org_id: orgId } };
      const { body } = await service.call<Record<string, string>>(wallet, 'POST', '/projects/v1', options);
      projectId = body.project_id!;
      serviceKey = body.service_key!;
      await newUser();
    },
    changes: [
      {
        ...change('users.create', 'project.user_created'),
        send: send('POST', () => '/auth/v1/admin/users', named({ email })),
      },
      {
        ...inProject('users.import', 'project.users_imported'),
        send: send('POST', () => '/auth/v1/admin/users/import', named({ users: [{ id: crypto.randomUUID(), email }] })),
      },
      {
        ...inProject('users.update', 'project.user_updated'),
        send: send(
          'PATCH',
          () => `${users()}/${userId}`,
          () => ({ display_name: 'Ada' }),
        ),
      },
      {
        ...inProject('users.endSessions', 'project.user_sessions_ended'),
        send: send('POST', () => `${users()}/${userId}/end-sessions`),
      },
      {
        // A worker may take the job of the mail at once, which writes its row anew.
        ...inProject('users.sendLink', 'project.user_link_sent'),
        send: send(
          'POST',
          () => `${users()}/${userId}/send-link`,
          () => ({ redirect_url: 'http://localhost/' }),
        ),
      },
      { ...change('users.promote', 'project.user_promoted'), send: role('promote') },
      { ...change('users.demote', 'project.user_demoted'), send: role('demote') },
      {
        ...change('users.delete', 'project.user_deleted'),
        send: send('DELETE', () => `/auth/v1/admin/users/${userId}?project_id=${projectId}`),
        restore: newUser,
      },
      {
        ...change('users.changeSettings', 'project.auth_settings_changed'),
        send: send('PATCH', () => '/auth/v1/settings', named({ allow_password_set: true })),
      },
    ],
  };
}
