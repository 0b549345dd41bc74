import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { platformIncidentProjects, platformIncidents } from '../../db/schema/incidents.ts';
import { allOf, computed, statement, typed } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { type ListPage, listsBy, listWindow, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { type DeclaredIncident, IncidentWire, incidentToWire } from './wire.ts';

const byStart = listsBy({
  columns: ['startedAt', 'id'],
  first: { type: 'timestamp with time zone', below: '-infinity', above: 'infinity' },
  of: ({ id, startedAt }: { readonly id: string; readonly startedAt: Date }) => [startedAt.toISOString(), id],
});

/** `GET /admin/v1/incidents`. */
export const listIncidents = query({
  name: 'incidents.list',
  tool: 'admin_list_incidents',
  command: 'admin incident list',
  summary: 'Faults of the platform, those that last and those that are over, newest first.',
  access: platformAdmin(),
  input: z.object({
    ...listWindow,
    status: z
      .enum(['ongoing', 'resolved'])
      .optional()
      .describe('Only incidents that last, or only those that are over.'),
  }),
  async handler({ services }, { status = null, ...window }): Promise<ListPage<DeclaredIncident>> {
    const list = byStart.newestFirst(services.keys, 'incidents');
    const asked = { ...list.positionOf(window), status, limit: window.limit + 1 };
    return list.pageOf(await services.db.rows(list.statementOf(window, statements).with(asked)), window);
  },
  wire: z.object({ incidents: z.array(IncidentWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ incidents: page.rows.map(({ row }) => incidentToWire(row)), ...pageToWire(page) }),
});

const statements = byStart.bothWays(platformIncidents, (way) =>
  statement(
    `incidents.list-${way.name}`,
    {
      params: { ...way.params, status: typed<string | null>('text'), limit: typed<number>('bigint') },
      row: {
        ...allOf(platformIncidents),
        projectIds: computed<readonly string[]>(
          'text[]',
          sql`array(select ${platformIncidentProjects.projectId} from ${platformIncidentProjects}
            where ${platformIncidentProjects.incidentId} = ${platformIncidents.id}
            order by ${platformIncidentProjects.projectId})`,
        ),
      },
    },
    ({ status, limit, ...position }, row) => sql`select ${row} from ${platformIncidents}
      where ${way.beyond(position)}
        and coalesce((${platformIncidents.resolvedAt} is null) = (${status}::text = 'ongoing'), true)
      ${way.order} limit ${limit}`,
  ),
);
