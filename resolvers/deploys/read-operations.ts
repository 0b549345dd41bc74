import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { deployEvents, deployOperations, operationKinds } from '../../db/schema/releases.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { onProjectOf } from '../../kernel/access/on-project-of.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { bothWays, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import {
  DeployOperationWire,
  findOperation,
  operationColumns,
  operationToWire,
  statusesInShort,
} from './deploy-operation.ts';
import { deployActions } from './shared/actions.ts';
import { sought } from './shared/on-deploy.ts';

export const operationId = z.string().min(1).max(64).describe('The deploy, `op_…`.');

export const onOperation = onProjectOf(
  deployActions['project:deploys:read'],
  sought.operation,
  ({ operation }: { readonly operation: string }) => operation,
);

/** `GET /apply/v1/operations/:operation_id`. Contract 03, section 2.6. */
export const getDeploy = query({
  name: 'deploys.get',
  tool: 'deploy_get',
  command: 'deploy get',
  summary: 'How far a deploy has come, and what came of it.',
  access: onOperation,
  input: z.object({ operation: operationId }),
  handler: async ({ services, org, project }, { operation }) =>
    (await findOperation(services.db.rows, { orgId: org.id, projectId: project.id }, operation))!,
  wire: DeployOperationWire,
  toWire: operationToWire,
});

/** `GET /apply/v1/operations`. Contract 03, section 2.6. */
export const listDeploys = query({
  name: 'deploys.list',
  tool: 'deploy_list',
  command: 'deploy list',
  summary: 'The deploys of a project, newest first.',
  access: onNamedOrOwnProject(deployActions['project:deploys:read']),
  input: z.object({
    project: itsProject,
    ...listWindow,
    status: z
      .enum([
        'planning',
        'uploading',
        'running',
        'schema_settling',
        'activation_pending',
        'needs_repair',
        'ready',
        'failed',
        'rolled_back',
      ])
      .optional()
      .describe('Only deploys of this status; `running` stands for all in which one is worked on.'),
    kind: z.enum(operationKinds).optional().describe('Only deploys, only promotions, or only rehearsals.'),
  }),
  async handler({ services, org, project }, { status, kind = null, ...window }) {
    const list = newestFirst(services.keys, `deploys:${project.id}`);
    const rows = await services.db.rows(
      list.statementOf(window, listStatements).with({
        orgId: org.id,
        projectId: project.id,
        ...list.positionOf(window, 'cursor'),
        statuses: status === undefined ? null : statusesInShort(status),
        kind,
        limit: window.limit + 1,
      }),
    );
    return list.pageOf(rows, window);
  },
  wire: z.object({
    operations: z.array(DeployOperationWire),
    cursor: z.string().nullable(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({
    operations: page.rows.map(({ row }) => operationToWire(row)),
    cursor: pageToWire(page).next_cursor,
    ...pageToWire(page),
  }),
});

const listStatements = bothWays(deployOperations, (way) =>
  statement(
    `deploys.list-${way.name}`,
    {
      params: {
        ...pick(deployOperations, 'orgId', 'projectId'),
        ...way.params,
        statuses: typed<readonly string[] | null>('text[]'),
        kind: typed<string | null>('text'),
        limit: typed<number>('bigint'),
      },
      row: operationColumns,
    },
    ({ orgId, projectId: of, statuses, kind, limit, ...position }, row) => sql`select ${row} from ${deployOperations}
      where ${deployOperations.orgId} = ${orgId} and ${deployOperations.projectId} = ${of} and ${way.beyond(position)}
        and coalesce(${deployOperations.status} = any(${statuses}::text[]), true)
        and coalesce(${deployOperations.kind} = ${kind}::text, true)
      ${way.order} limit ${limit}`,
  ),
);

/** Events that one page has at most. */
const eventsMax = 1_000;

/** Something that was told of a deploy. */
const eventColumns = pick(deployEvents, 'position', 'event', 'createdAt');

/** `GET /apply/v1/operations/:operation_id/events`. Contract 03, section 2.6. */
export const listDeployEvents = query({
  name: 'deploys.listEvents',
  tool: 'deploy_events',
  command: 'deploy events',
  summary: 'What was told of a deploy, oldest first, after the event whose id is the cursor.',
  access: onOperation,
  input: z.object({
    operation: operationId,
    limit: z.coerce.number().int().min(1).max(eventsMax).default(100).describe(`At most so many, up to ${eventsMax}.`),
    cursor: z
      .string()
      .regex(/^\d{1,18}$/, 'must be the id of an event')
      .optional()
      .describe('Only events after the one of this id.'),
  }),
  async handler({ services, org }, { operation, limit, cursor }) {
    const found = await services.db.rows(
      eventsStatement.with({ orgId: org.id, operationId: operation, after: BigInt(cursor ?? 0), limit: limit + 1 }),
    );
    return { events: found.slice(0, limit), hasMore: found.length > limit };
  },
  wire: z.object({
    events: z.array(z.looseObject({ id: z.string(), type: z.string() })),
    /** The last event of the page; null when there are no further ones. */
    cursor: z.string().nullable(),
  }),
  toWire: ({ events, hasMore }) => ({
    events: events.map(({ position, event }) => ({
      ...(event as { readonly type: string }),
      id: String(position),
    })),
    cursor: hasMore ? String(events.at(-1)!.position) : null,
  }),
});

const eventsStatement = statement(
  'deploys.events',
  {
    params: {
      ...pick(deployEvents, 'orgId', 'operationId'),
      after: typed<bigint>('bigint'),
      limit: typed<number>('bigint'),
    },
    row: eventColumns,
  },
  (given, row) => sql`select ${row} from ${deployEvents} where ${deployEvents.orgId} = ${given.orgId}
    and ${deployEvents.operationId} = ${given.operationId} and ${deployEvents.position} > ${given.after}
    order by ${deployEvents.position} limit ${given.limit}`,
);
