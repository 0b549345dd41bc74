import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type AuditEvent, auditEvents } from '../../db/schema/orgs.ts';
import { allOf, statement, typed } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { cursor, orgId } from '../../kernel/input/fields.ts';
import { bySeq, type ListPage, listWindow, pageToWire } from '../../kernel/input/list-page.ts';
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
    ...listWindow,
    older_than: cursor.optional().describe('As `after`, under the older name it has in a query string: `before`.'),
  }),
  async handler({ services, org }, { older_than, org: _named, ...given }): Promise<ListPage<AuditEvent>> {
    if (older_than !== undefined && given.after !== undefined) {
      const reason = 'is another name of `after`: give one of them';
      throw invalidField('before', reason);
    }
    const window = { ...given, after: older_than ?? given.after };
    const list = bySeq.newestFirst(services.keys, `audit:${org.id}`);
    const position = list.positionOf(window, older_than === undefined ? 'after' : 'before');
    const asked = { orgId: org.id, ...position, limit: window.limit + 1 };
    return list.pageOf(await services.db.rows(list.statementOf(window, auditStatements).with(asked)), window);
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
