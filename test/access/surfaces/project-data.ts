import type { Stage, Surfaces } from './surface.ts';

export const projectDataSurfaces = ({ params }: Stage): Surfaces => {
  const project = (selection: string) => () => `{ project(id: "${params.project_id}") { ${selection} } }`;
  const manifest = '{ version: 1 }';
  return {
    'POST /projects/v1/admin/:project_id/sql': {
      cells: 'A + + F N + A +',
      body: () => ({ sql: 'select 1' }),
      field: () => `mutation { runSql(input: { project: "${params.project_id}", sql: "select 1" }) { rowCount } }`,
    },
    'GET /projects/v1/admin/:project_id/schema': {
      cells: 'A + + + N + A +',
      field: project('tables { name }'),
    },
    'GET /projects/v1/admin/:project_id/access': {
      addition: { status: 200, reason: 'people who decide what a project shows see who may do what' },
      cells: 'A + + + N + A +',
      field: project('access { functions { name } }'),
    },
    'POST /projects/v1/admin/:project_id/expose': {
      cells: 'A + + F N + A F',
      body: () => ({ version: 1 }),
      field: () =>
        `mutation { applyExpose(input: { project: "${params.project_id}", manifest: ${manifest} }) { applied { tables } } }`,
    },
    'GET /projects/v1/admin/:project_id/expose': {
      cells: 'A + + + N + A +',
      field: project('expose { source }'),
    },
    'POST /projects/v1/admin/:project_id/expose/validate': {
      cells: 'A + + + N + A +',
      body: () => ({ manifest: { version: 1 } }),
      field: project(`exposeFindings(manifest: ${manifest}) { type }`),
    },
    'POST /projects/v1/expose/validate': {
      cells: 'A + + + A A A A',
      body: () => ({ manifest: { version: 1 } }),
      field: () => `{ exposeFindings(manifest: ${manifest}) { type } }`,
    },
  };
};
