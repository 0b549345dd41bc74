import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { projectSnapshots, snapshotKinds } from '../../db/schema/snapshots.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId, wholeNumberFrom } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { ofProject } from './create-snapshot.ts';
import { snapshotActions } from './shared/actions.ts';
import {
  findSnapshot,
  type Snapshot,
  SnapshotWire,
  snapshotColumns,
  snapshotId,
  snapshotToWire,
} from './shared/snapshot-row.ts';

const access = onProject(snapshotActions['project:snapshots:read'], ofProject);

/** `GET /projects/v1/:project_id/snapshots`. Contract 03, section 6. */
export const listSnapshots = query({
  name: 'snapshots.list',
  tool: 'list_project_snapshots',
  command: 'snapshots list',
  summary: 'The snapshots of a project, newest first.',
  access,
  input: z.object({
    project: projectId,
    kind: z
      .enum(snapshotKinds)
      .optional()
      .describe('Only those of one kind: taken by hand, before migrations, before a restore, or daily.'),
    ...listWindow,
    limit: wholeNumberFrom(1, 100).default(20).describe('Snapshots per page: 20 unless told, at most 100.'),
  }),
  async handler({ services, project }, { kind = null, project: _named, ...window }): Promise<ListPage<Snapshot>> {
    const list = newestFirst(services.keys, `snapshots:${project.id}:${kind ?? ''}`);
    const given = { projectId: project.id, kind, ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf(await services.db.rows(list.statementOf(window, listStatements).with(given)), window);
  },
  wire: z.object({ snapshots: z.array(SnapshotWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ snapshots: page.rows.map(({ row }) => snapshotToWire(row)), ...pageToWire(page) }),
});

const listStatements = bothWays(projectSnapshots, (way) =>
  statement(
    `snapshots.list-${way.name}`,
    {
      params: {
        ...pick(projectSnapshots, 'projectId'),
        kind: typed<string | null>('text'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: snapshotColumns,
    },
    ({ projectId: project, kind, limit, ...given }, row) => sql`select ${row} from ${projectSnapshots}
      where ${projectSnapshots.projectId} = ${project} and ${way.beyond(given)}
        and coalesce(${projectSnapshots.kind} = ${kind}::text, true) ${way.order} limit ${limit}`,
  ),
);

/** `GET /projects/v1/:project_id/snapshots/:snapshot_id`. Contract 03, section 6. */
export const getSnapshot = query({
  name: 'snapshots.get',
  tool: 'get_project_snapshot',
  command: 'snapshots get',
  summary: 'How a snapshot of a project stands.',
  path: 'GET /projects/v1/:project_id/snapshots/:snapshot_id',
  access,
  input: z.object({ project: projectId, snapshot: snapshotId }),
  handler: ({ services, project }, { snapshot }): Promise<Snapshot> =>
    findSnapshot(services.db.rows, { projectId: project.id }, snapshot),
  wire: SnapshotWire,
  toWire: snapshotToWire,
});
