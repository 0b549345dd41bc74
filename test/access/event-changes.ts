import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to events, and to incidents of the platform. */
export function eventChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const incidents = '/admin/v1/incidents';
  const open = 'inc_open';
  return {
    adminOnly: ['incidents.declare', 'incidents.resolve'],
    keyOnly: ['events.emit'],
    withServiceKey: ['events.emit'],
    prepare: () =>
      service.control.sql(
        `insert into platform_incidents (id, subsystem, severity, scope, summary)
         values ($1, 'mail', 'minor', 'global', 'Slow.') on conflict do nothing`,
        [open],
      ),
    changes: [
      {
        operation: 'events.emit',
        action: 'event.emitted',
        kind: 'project',
        send: send(
          'POST',
          () => `/projects/v1/${home().projectId}/events`,
          () => ({ event_type: 'order_paid', payload: { secret: 'sesame' } }),
        ),
        objectId: () => home().projectId,
        written: 'select xmin::text from events where project_id = $1 order by position desc limit 1',
      },
      {
        operation: 'incidents.declare',
        action: 'incident.declared',
        kind: 'platform_incident',
        send: send(
          'POST',
          () => incidents,
          () => ({ subsystem: 'mail', severity: 'minor', scope: 'global', summary: 'Slow.' }),
        ),
        objectId: ({ id }) => id!,
        written: 'select xmin::text from platform_incidents where id = $1',
      },
      {
        operation: 'incidents.resolve',
        action: 'incident.resolved',
        kind: 'platform_incident',
        send: send('POST', () => `${incidents}/${open}/resolve`),
        objectId: () => open,
        written: 'select xmin::text from platform_incidents where id = $1',
        restore: () => service.control.sql('update platform_incidents set resolved_at = null where id = $1', [open]),
      },
    ],
  };
}
