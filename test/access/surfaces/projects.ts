import { revive } from '../../helpers/revive.ts';
import type { Stage, Surfaces } from './surface.ts';

export const projectSurfaces = ({ params, service }: Stage): Surfaces => {
  const project = (selection: string) => () => `{ project(id: "${params.id}") { ${selection} } }`;
  const change =
    (name: string, given = '') =>
    () =>
      `mutation { ${name}(input: { project: "${params.id}"${given} }) { id } }`;
  return {
    'POST /projects/v1': {
      cells: 'A + + F N F A F',
      body: () => ({ org_id: params.org_id }),
      field: () => `mutation { createProject(input: { org: "${params.org_id}" }) { id } }`,
    },
    'GET /projects/v1': {
      cells: 'A + + + + F A F',
      search: () => `?org_id=${params.org_id}`,
      field: () => `{ projects(org: "${params.org_id}") { edges { cursor } } }`,
    },
    'GET /projects/v1/:id': { cells: 'A + + + + + A +', field: project('id') },
    'GET /projects/v1/:id/keys': {
      addition: {
        status: 200,
        reason: 'keys are derived and never change, so a member who lost them can read them again',
      },
      cells: 'A + + F N F A F',
      field: project('keys { anonKey serviceKey }'),
    },
    'PATCH /projects/v1/:id': {
      cells: 'A + + F N F A F',
      body: () => ({ name: 'Renamed' }),
      field: change('renameProject', ', name: "Renamed"'),
    },
    'POST /projects/v1/:id/repo-name': {
      cells: 'A + + F N F A F',
      body: () => ({ name: 'renamed' }),
      field: change('setProjectRepoName', ', name: "renamed"'),
    },
    'POST /projects/v1/:id/max-affected': {
      addition: { status: 200, reason: 'a project bounds how many rows one change may reach' },
      cells: 'A + + F N F A F',
      body: () => ({ rows: 1000 }),
      field: change('setProjectMaxAffected', ', rows: 1000'),
    },
    'GET /projects/v1/admin/:project_id/usage': { cells: 'A + + + + + A +', field: project('usage { apiCalls }') },
    'GET /projects/v1/:project_id/metrics': {
      addition: { status: 200, reason: 'charts of a project come from what is kept, not from what a page has seen' },
      cells: 'A + + + + + A +',
      field: project('metrics(range: HOUR) { stepSeconds points { at } }'),
    },
    'GET /projects/v1/:project_id/requests': {
      addition: { status: 200, reason: 'a member looks a refusal up by the id that its envelope carries' },
      cells: 'A + + + N + A +',
      field: project('requests { edges { cursor } }'),
    },
    'POST /projects/v1/admin/:id/archive': { cells: 'A P P F P P P +', field: change('archiveProject') },
    'POST /projects/v1/admin/:id/reactivate': { cells: 'A P P F P P P +', field: change('reactivateProject') },
    'DELETE /projects/v1/:id': {
      cells: 'A + + F N + A F',
      prepare: async () => void (await revive(service, params.id!)),
      field: change('deleteProject'),
    },
  };
};
