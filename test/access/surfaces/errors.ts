import type { Stage, Surfaces } from './surface.ts';

const errorDoor = 'until functions and deploys run here, their runner reports what they did';

export const errorSurfaces = ({ service, params }: Stage): Surfaces => {
  const path = '/projects/v1/:project_id/errors';
  const reading = 'A + + + + + A +';
  const writing = 'A + + F N + A F';
  const project = () => `project: "${params.project_id}"`;
  const occurrence = { function: 'checkout', kind: 'uncaught', sample_id: 'req_1', message: 'it broke' };
  const graphOccurrence = '{ function: "checkout", kind: UNCAUGHT, sampleId: "req_1", message: "it broke" }';
  return {
    [`GET ${path}`]: {
      cells: reading,
      search: () => '?counts=day',
      field: () =>
        `{ project(id: "${params.project_id}") { errors { verdict { newFingerprints } counts(bucket: DAY) { startsAt values } } } }`,
    },
    [`GET ${path}/:fingerprint_id`]: {
      cells: reading,
      async prepare() {
        await service.control.sql(
          `insert into error_fingerprints select org_id, id, 'fp_0123456789abcdef', 'checkout', 'uncaught', 'coarse', 'Error',
             '', '[]', 1, now(), now(), null, null, $2, '[]' from projects where id = $1 on conflict do nothing`,
          [params.project_id, JSON.stringify({ id: 'req_1', at: '2026-01-01T00:00:00.000Z', release_id: null })],
        );
        return { fingerprint_id: 'fp_0123456789abcdef' };
      },
      field: () => `{ errorFingerprint(${project()}, fingerprintId: "fp_0123456789abcdef") { fingerprintId } }`,
    },
    [`POST ${path}/occurrences`]: {
      addition: { status: 200, reason: errorDoor },

      cells: writing,
      body: () => ({ occurrences: [occurrence] }),
      field: () =>
        `mutation { reportErrorOccurrences(input: { ${project()}, occurrences: [${graphOccurrence}] }) { recorded } }`,
    },
    [`POST ${path}/activations`]: {
      addition: { status: 200, reason: errorDoor },

      cells: writing,
      body: () => ({ release_id: 'rel_a' }),
      field: () => `mutation { reportReleaseActivation(input: { ${project()}, releaseId: "rel_a" }) { releaseId } }`,
    },
    [`POST ${path}/invocations`]: {
      addition: { status: 200, reason: errorDoor },

      cells: writing,
      body: () => ({ invocations: [{ function: 'checkout', count: 1 }] }),
      field: () =>
        `mutation { reportInvocations(input: { ${project()}, invocations: [{ function: "checkout", count: 1 }] }) { recorded } }`,
    },
    [`POST ${path}/fidelity`]: {
      addition: { status: 200, reason: errorDoor },

      cells: writing,
      body: () => ({ functions: [{ function: 'checkout', fidelity: 'full' }] }),
      field: () =>
        `mutation { reportFunctionFidelity(input: { ${project()}, functions: [{ function: "checkout", fidelity: FULL }] }) { coarseFunctions } }`,
    },
  };
};
