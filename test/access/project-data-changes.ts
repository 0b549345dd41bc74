import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change inside a project's own database. */
export function projectDataChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const path = (tail: string) => () => `/projects/v1/admin/${home().projectId}/${tail}`;
  const attempt = (action: string) => ({
    kind: 'project',
    action,
    objectId: () => home().projectId,
    // Their row is another database's: the trail's own comes before it, alone.
    written: `select xmin::text from audit_events where action = '${action}' and object_id = $1 order by seq desc limit 1`,
  });
  return {
    adminOnly: [],
    withServiceKey: ['projects.sql', 'projects.applyExpose'],
    changes: [
      {
        ...attempt('project.sql_run'),
        operation: 'projects.sql',
        send: send('POST', path('sql'), () => ({ sql: 'create table if not exists audited (id int)' })),
      },
      {
        ...attempt('project.expose_applied'),
        operation: 'projects.applyExpose',
        send: send('POST', path('expose'), () => ({ version: 1 })),
      },
    ],
  };
}
