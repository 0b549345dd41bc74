import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { appVersions } from '../../db/schema/apps.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import {
  AppSummaryWire,
  type AppVersion,
  findVersion,
  versionColumns,
  versionId,
  versionsAndProjects,
  versionToWire,
} from './app-row.ts';
import { ofProject, sayings } from './publish-app.ts';
import { appActions } from './shared/actions.ts';

const manages = appActions['project:apps:write'];

/** `GET /projects/v1/admin/:id/versions`. Contract 04, section 3.3. */
export const listVersions = query({
  name: 'apps.listVersions',
  tool: 'list_versions',
  command: 'apps versions',
  summary: 'The published versions of a project, newest first.',
  path: 'GET /projects/v1/admin/:project_id/versions',
  access: onProject(appActions['project:apps:read'], ofProject),
  input: z.object({ project: projectId }),
  handler: ({ services, project }): Promise<AppVersion[]> =>
    services.db.rows(listStatement.with({ projectId: project.id })),
  wire: z.object({ versions: z.array(AppSummaryWire) }),
  toWire: (versions, { services }) => ({ versions: versions.map((one) => versionToWire(services, one)) }),
});

/** `PATCH /projects/v1/admin/:id/versions/:version_id`. Contract 04, section 3.3. */
export const updateVersion = mutation({
  name: 'apps.updateVersion',
  tool: 'update_version',
  command: 'apps update',
  effects: ['destructive', 'idempotent'],
  summary:
    'Change what is said of a published version: its description, tags, visibility, price, and whether it may be forked.',
  path: 'PATCH /projects/v1/admin/:project_id/versions/:version_id',
  access: onProject(manages, ofProject),
  lifecycle: 'owned',
  input: z.object({ project: projectId, version: versionId, ...sayings }),
  async handler(work, { version: id, ...input }): Promise<AppVersion> {
    const project = await lockProjectFor(work, manages);
    const before = await findVersion(work.rows, { projectId: project.id }, id);
    const { description = before.description, tags = before.tags } = input;
    await work.rows(
      updateStatement.with({
        id,
        description,
        tags: [...new Set(tags)],
        visibility: input.visibility ?? before.visibility,
        forkAllowed: input.fork_allowed ?? before.forkAllowed,
        forkPrice: input.fork_price_usd_micros === undefined ? before.forkPrice : BigInt(input.fork_price_usd_micros),
      }),
    );
    return findVersion(work.rows, { projectId: project.id }, id);
  },
  audit: ({ id, projectId: project, visibility, forkAllowed }) => ({
    action: 'app.updated',
    object: { kind: 'app_version', id },
    details: { project_id: project, visibility, fork_allowed: forkAllowed },
  }),
  wire: AppSummaryWire,
  toWire: (version, { services }) => versionToWire(services, version),
});

/** A version that is gone. */
export interface DeletedVersion {
  readonly id: string;
}

/** `DELETE /projects/v1/admin/:id/versions/:version_id`. Contract 04, section 3.3. */
export const deleteVersion = mutation({
  name: 'apps.deleteVersion',
  tool: 'delete_version',
  command: 'apps delete',
  effects: ['destructive'],
  summary: 'Delete a published version. What was made from it stays as it is.',
  path: 'DELETE /projects/v1/admin/:project_id/versions/:version_id',
  access: onProject(manages, ofProject),
  input: z.object({ project: projectId, version: versionId }),
  async handler(work, { version: id }): Promise<DeletedVersion> {
    const project = await lockProjectFor(work, manages);
    await findVersion(work.rows, { projectId: project.id }, id);
    await work.rows(deleteStatement.with({ id }));
    work.afterCommit(() => work.services.appVersionWork.abort(id));
    return { id };
  },
  audit: ({ id }, _input, { project }) => ({
    action: 'app.deleted',
    object: { kind: 'app_version', id },
    details: { project_id: project.id },
  }),
  wire: z.object({ status: z.literal('deleted'), version_id: z.string() }),
  toWire: ({ id }) => ({ status: 'deleted' as const, version_id: id }),
});

// A project has some tens at most, and those that failed are forgotten after a day.
const listStatement = statement(
  'apps.list',
  { params: pick(appVersions, 'projectId'), row: versionColumns },
  ({ projectId: project }, row) => sql`select ${row} from ${versionsAndProjects}
    where ${appVersions.projectId} = ${project} and ${appVersions.deletedAt} is null
    order by ${appVersions.createdAt} desc, ${appVersions.id} desc limit 200`,
);

const updateStatement = statement(
  'apps.update',
  { params: pick(appVersions, 'id', 'description', 'tags', 'visibility', 'forkAllowed', 'forkPrice') },
  ({ id, ...set }) =>
    sql`update ${appVersions} ${setOf(appVersions, { ...set, updatedAt: sql`now()` })} where ${appVersions.id} = ${id}`,
);

const deleteStatement = statement(
  'apps.delete',
  { params: pick(appVersions, 'id') },
  ({ id }) =>
    sql`update ${appVersions} ${setOf(appVersions, {
      deletedAt: sql`now()`,
      dueAt: sql`null`,
      updatedAt: sql`now()`,
    })} where ${appVersions.id} = ${id}`,
);
