import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every report of what a project’s functions did. */
export function errorChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  // Each time of another function: what is merely counted once more is no matter for the trail.
  const report = (door: string, body: (name: string) => object) =>
    send(
      'POST',
      () => `/projects/v1/${home().projectId}/errors/${door}`,
      () => body(`f_${crypto.randomUUID()}`),
    );
  const change = (operation: string, action: string, table: string, order = 'project_id') => ({
    operation,
    action,
    kind: 'project',
    objectId: () => home().projectId,
    written: `select xmin::text from ${table} where project_id = $1 order by ${order} desc limit 1`,
  });
  const occurrence = { kind: 'uncaught', sample_id: 'req_1', message: 'it broke' };
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
        ...change('errors.reportOccurrences', 'project.errors_reported', 'error_fingerprints', 'xmin::text::bigint'),
        send: report('occurrences', (name) => ({ occurrences: [{ function: name, ...occurrence }] })),
      },
      {
        ...change('errors.reportActivation', 'project.release_activated', 'release_activations', 'seq'),
        send: report('activations', () => ({ release_id: 'rel_a' })),
      },
      {
        ...change(
          'errors.reportInvocations',
          'project.invocations_reported',
          'function_invocations',
          'xmin::text::bigint',
        ),
        send: report('invocations', (name) => ({ invocations: [{ function: name, count: 1 }] })),
      },
      {
        ...change('errors.reportFidelity', 'project.fidelity_reported', 'error_projects'),
        send: report('fidelity', (name) => ({ functions: [{ function: name, fidelity: 'full' }] })),
      },
    ],
  };
}
