import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every report of what a project’s functions did. */
export function errorChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const report = (door: string, body: object) =>
    send(
      'POST',
      () => `/projects/v1/${home().projectId}/errors/${door}`,
      () => body,
    );
  const change = (operation: string, action: string, table: string, order = 'project_id') => ({
    operation,
    action,
    kind: 'project',
    objectId: () => home().projectId,
    written: `select xmin::text from ${table} where project_id = $1 order by ${order} desc limit 1`,
  });
  const occurrence = { function: 'checkout', kind: 'uncaught', sample_id: 'req_1', message: 'it broke' };
  return {
    adminOnly: [],
    withServiceKey: [
      'errors.reportOccurrences',
      'errors.reportActivation',
      'errors.reportInvocations',
      'errors.reportFidelity',
    ],
    changes: [
      {
        ...change('errors.reportOccurrences', 'project.errors_reported', 'error_fingerprints', 'last_seen'),
        send: report('occurrences', { occurrences: [occurrence] }),
      },
      {
        ...change('errors.reportActivation', 'project.release_activated', 'release_activations', 'seq'),
        send: report('activations', { release_id: 'rel_a' }),
      },
      {
        ...change('errors.reportInvocations', 'project.invocations_reported', 'function_invocations', 'starts_at'),
        send: report('invocations', { invocations: [{ function: 'checkout', count: 1 }] }),
      },
      {
        ...change('errors.reportFidelity', 'project.fidelity_reported', 'error_projects'),
        send: report('fidelity', { functions: [] }),
      },
    ],
  };
}
