import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { type AuditEvent, auditEvents } from '../../db/schema/orgs.ts';
import { allOf, from, statement, typed } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { cursor, moment, orgId, principalId } from '../../kernel/input/fields.ts';
import { bySeq, type ListPage, listWindow, pageToWire } from '../../kernel/input/list-page.ts';
import { requireTimeRange } from '../../kernel/input/time-range.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from './shared/actions.ts';

/** `GET /orgs/v1/:org_id/audit`. Contract 01, section 6.3. */
export const listAudit = query({
  name: 'orgs.listAudit',
  tool: 'list_org_audit',
  command: 'org audit',
  summary: 'What happened in an organization and by whom, newest first.',
  access: onOrg(orgActions['org:audit:read'], ({ org }: { org: string }) => org),
  input: z.object({
    org: orgId,
    action: z
      .string()
      .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, 'must be lower-case words with dots between them')
      .max(100, 'at most 100 characters')
      .optional()
      .describe('Only this action, for example `project.created`, or all that begin with it: `project`.'),
    actor: principalId.optional().describe('Only what this principal did.'),
    since: moment.optional().describe('Only what took place from then on.'),
    until: moment.optional().describe('Only what took place before then.'),
    ...listWindow,
    older_than: cursor.optional().describe('As `after`, under the older name it has in a query string: `before`.'),
  }),
  async handler(
    { services, org },
    { older_than, org: _named, action, actor, since, until, ...given },
  ): Promise<ListPage<AuditEvent>> {
    requireTimeRange({ since, until });
    if (older_than !== undefined && given.after !== undefined) {
      const reason = 'is another name of `after`: give one of them';
      throw invalidField('before', reason);
    }
    const window = { ...given, after: older_than ?? given.after };
    const list = bySeq.newestFirst(services.keys, `audit:${org.id}`);
    const position = list.positionOf(window, older_than === undefined ? 'after' : 'before');
    const asked = { orgId: org.id, ...position, limit: window.limit + 1 };
    const filter = { action: action ?? null, since: since ?? null, until: until ?? null };
    const isFiltered = Object.values(filter).some((value) => value !== null);
    const found =
      actor !== undefined
        ? list.statementOf(window, byActorStatements).with({ ...asked, ...filter, actor })
        : isFiltered
          ? list.statementOf(window, filteredStatements).with({ ...asked, ...filter })
          : list.statementOf(window, auditStatements).with(asked);
    return list.pageOf(await services.db.rows(found), window);
  },
  wire: z.object({
    events: z.array(
      z.object({
        id: z.string(),
        occurred_at: z.iso.datetime(),
        action: z.string(),
        actor: z.record(z.string(), z.unknown()),
        object: z.object({ kind: z.string(), id: z.string() }),
        outcome: z.literal('ok'),
        details: z.record(z.string(), z.unknown()),
        request_id: z.string(),
      }),
    ),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({
    events: page.rows.map(({ row }) => ({
      id: row.id,
      occurred_at: row.occurredAt.toISOString(),
      action: row.action,
      actor: row.actor,
      object: { kind: row.objectKind, id: row.objectId },
      // What is refused changes nothing and leaves no event.
      outcome: 'ok' as const,
      details: row.details,
      request_id: row.traceId,
    })),
    ...pageToWire(page),
  }),
});

const auditStatements = bySeq.bothWays(auditEvents, (way) =>
  statement(
    `orgs.audit-${way.name}`,
    {
      params: { orgId: typed<string>('uuid'), ...way.params, limit: typed<number>('bigint') },
      row: allOf(auditEvents),
    },
    ({ orgId: org, limit, ...position }, row) => sql`select ${row} from ${auditEvents}
      where ${auditEvents.orgId} = ${org} and ${way.beyond(position)} ${way.order} limit ${limit}`,
  ),
);

const near = alias(auditEvents, 'near');
const edge = alias(auditEvents, 'edge');

/**
 * Events are numbered as they are written, and their time is the beginning of their transaction: so the order of the two
 * differs by no more than the longest transaction takes, and a clock is set back.
 */
const slack = sql`interval '1 hour'`;

interface Span {
  readonly orgId: SQL;
  readonly since: SQL;
  readonly until: SQL;
}

/** Where a span of time lies in the trail, so that nothing outside of it is read: numbers that hold all of its events. */
const within = ({ orgId: org, since, until }: Span) => sql`
  ${auditEvents.seq} >= case when ${since}::timestamptz is null then 0 else (
    select coalesce(min(${near.seq}), 9223372036854775807) from ${from(near)}
    where ${near.orgId} = ${org} and ${near.occurredAt} >= ${since} and ${near.occurredAt} < ${slack} + (
      select ${edge.occurredAt} from ${from(edge)} where ${edge.orgId} = ${org} and ${edge.occurredAt} >= ${since}
      order by ${edge.occurredAt} limit 1)) end
  and ${auditEvents.seq} <= case when ${until}::timestamptz is null then 9223372036854775807 else (
    select coalesce(max(${near.seq}), 0) from ${from(near)}
    where ${near.orgId} = ${org} and ${near.occurredAt} < ${until} and ${near.occurredAt} > (
      select ${edge.occurredAt} from ${from(edge)} where ${edge.orgId} = ${org} and ${edge.occurredAt} < ${until}
      order by ${edge.occurredAt} desc limit 1) - ${slack}) end
  and (${since} is null or ${auditEvents.occurredAt} >= ${since})
  and (${until} is null or ${auditEvents.occurredAt} < ${until})`;

const filterParams = {
  orgId: typed<string>('uuid'),
  action: typed<string | null>('text'),
  since: typed<Date | null>('timestamp with time zone'),
  until: typed<Date | null>('timestamp with time zone'),
};

const ofAction = (action: SQL) => sql`(${action}::text is null or ${auditEvents.action} = ${action}
  or starts_with(${auditEvents.action}, ${action} || '.'))`;

/** Apart from the whole trail, whose plan has nothing to filter. */
const filteredStatements = bySeq.bothWays(auditEvents, (way) =>
  statement(
    `orgs.audit-filtered-${way.name}`,
    { params: { ...filterParams, ...way.params, limit: typed<number>('bigint') }, row: allOf(auditEvents) },
    ({ orgId: org, action, since, until, limit, ...position }, row) => sql`select ${row} from ${auditEvents}
      where ${auditEvents.orgId} = ${org} and ${way.beyond(position)}
        and ${ofAction(action)} and ${within({ orgId: org, since, until })}
      ${way.order} limit ${limit}`,
  ),
);

/** Apart again: an index finds what one principal did. */
const byActorStatements = bySeq.bothWays(auditEvents, (way) =>
  statement(
    `orgs.audit-by-actor-${way.name}`,
    {
      params: { ...filterParams, actor: typed<string>('text'), ...way.params, limit: typed<number>('bigint') },
      row: allOf(auditEvents),
    },
    ({ orgId: org, action, actor, since, until, limit, ...position }, row) => sql`select ${row} from ${auditEvents}
      where ${auditEvents.orgId} = ${org} and (${auditEvents.actor} -> 'principal' ->> 'principal_id') = ${actor}
        and ${way.beyond(position)} and ${ofAction(action)} and ${within({ orgId: org, since, until })}
      ${way.order} limit ${limit}`,
  ),
);
