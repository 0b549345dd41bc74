import type { Stage, Surfaces } from './surface.ts';

/** Whoever may not see a host is told of none. */
export const hostingSurfaces = ({ params, service }: Stage): Surfaces => ({
  'GET /apply/v1/resolve': {
    cells: 'A + + + + + + +',
    search: () => `?host=${params.host}`,
    prepare: async () => {
      const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
        params.project_id,
      ]);
      return { host: `p-${row!.public_id}.localhost` };
    },
    field: () => `{ hostResolution(host: "${params.host}") { match } }`,
  },
});
