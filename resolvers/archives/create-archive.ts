import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { authExports, consistencyModes, projectArchives } from '../../db/schema/archives.ts';
import { computed, insertInto, pick, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { databaseOf } from '../project-data/shared/in-project.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { type Archive, ArchiveWire, archiveColumns, archiveToWire, portableScope } from './archive-row.ts';
import { archiveActions } from './shared/actions.ts';

export const ofProject = ({ project }: { readonly project: string }): string => project;

/** Archives that a project may have which have not expired. */
const keptMax = 10;

const action = archiveActions['project:archives:export'];

/** `POST /projects/v1/:project_id/archives`. Contract 03, section 8.1. */
export const createArchive = mutation({
  name: 'archives.create',
  tool: 'export_project_archive',
  command: 'projects export',
  summary:
    'Begin to export a project into one file that another gateway can import: its schema, rows, files, functions and release, without secrets and credentials.',
  path: 'POST /projects/v1/:project_id/archives 202',
  access: onProject(action, ofProject),
  lifecycle: 'gated',
  writeApproval: { action: 'project.archives.export', field: 'project_id', target: ofProject },
  input: z.object({
    project: projectId,
    scope: z.string().max(64).default(portableScope).describe('What is exported: `portable-runtime-v1`.'),
    auth: z
      .enum(authExports)
      .default('stubs')
      .describe('`stubs` names the ids of users, who cannot sign in where they arrive; `none` leaves users out.'),
    consistency: z
      .enum(consistencyModes)
      .default('pause-writes')
      .describe('Either: rows, files and release are of one moment, and no writer waits for it.'),
  }),
  async handler(work, { scope, auth, consistency }): Promise<Archive> {
    if (scope !== portableScope) throw new ServiceError('EXPORT_SCOPE_UNSUPPORTED', { details: { field: 'scope' } });
    const { services, org } = work;
    const project = await lockProjectFor(work, action);
    databaseOf({ org, project });
    await refuseOverQuota(
      work,
      countStatement.with({ projectId: project.id }),
      { scope: 'project', metric: 'archives' },
      keptMax,
    );
    const [made] = await work.rows(
      insertStatement.with({
        id: services.newId('arc'),
        orgId: org.id,
        projectId: project.id,
        operationId: services.newId('op'),
        authExport: auth,
        consistencyMode: consistency,
      }),
    );
    work.afterCommit(() => services.projectArchiveWork.wake());
    return made!;
  },
  audit: ({ id, projectId: project, authExport }) => ({
    action: 'archive.created',
    object: { kind: 'archive', id },
    details: { project_id: project, auth: authExport },
  }),
  wire: ArchiveWire,
  toWire: archiveToWire,
});

const countStatement = statement(
  'archives.count',
  {
    params: pick(projectArchives, 'projectId'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ projectId: project }, row) => sql`select ${row} from ${projectArchives}
    where ${projectArchives.projectId} = ${project} and ${projectArchives.status} in ('running', 'ready')`,
);

// Seven days, which is told from the beginning.
const insertStatement = statement(
  'archives.insert',
  {
    params: pick(projectArchives, 'id', 'orgId', 'projectId', 'operationId', 'authExport', 'consistencyMode'),
    row: archiveColumns,
  },
  (given, row) =>
    sql`${insertInto(projectArchives, {
      ...given,
      status: sql`'running'`,
      dueAt: sql`now()`,
      expiresAt: sql`now() + interval '7 days'`,
    })} returning ${row}`,
);
