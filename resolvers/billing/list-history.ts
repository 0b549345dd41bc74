import { z } from 'zod';
import { requestIdOf } from '../../core/tracing.ts';
import { sql } from '../../db/drizzle.ts';
import { type LedgerEntry, ledgerEntries } from '../../db/schema/orgs.ts';
import { allOf, statement, typed } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId, pageLimitOf } from '../../kernel/input/fields.ts';
import { bySeq, type ListPage, listWindow, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { soughtRequest } from '../../kernel/run/request-id.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { entryToWire, LedgerEntryWire } from './wire.ts';

/** A page of an organization's ledger. */
export interface HistoryPage extends ListPage<LedgerEntry> {
  readonly orgId: string;
}

/** `GET /orgs/v1/:org_id/billing/history`. Contract 04, section 1.4. */
export const listHistory = query({
  name: 'billing.listHistory',
  tool: 'billing_history',
  command: 'billing history',
  summary: 'What moved the balance of an organization, newest first.',
  access: onOrg(orgActions['org:billing:read'], ({ org }: { org: string }) => org),
  input: z.object({
    org: orgId,
    request_id: soughtRequest.describe(
      'Only what this request moved, or the work that it began: `trc_…` or `req_…`, or the run or job of a function, `fnrun_…` or `job_…`.',
    ),
    ...listWindow,
    limit: pageLimitOf(20),
  }),
  async handler({ services: { db, keys }, org }, { request_id, ...window }): Promise<HistoryPage> {
    const list = bySeq.newestFirst(keys, `ledger:${org.id}`);
    const requestId = request_id === undefined ? null : requestIdOf(request_id);
    const asked = { orgId: org.id, requestId, ...list.positionOf(window), limit: window.limit + 1 };
    const rows = await db.rows(list.statementOf(window, historyStatements).with(asked));
    return { orgId: org.id, ...list.pageOf(rows, window) };
  },
  wire: z.object({
    org_id: z.uuid(),
    entries: z.array(LedgerEntryWire),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({
    org_id: page.orgId,
    entries: page.rows.map(({ row }) => entryToWire(row)),
    ...pageToWire(page),
  }),
});

const historyStatements = bySeq.bothWays(ledgerEntries, (way) =>
  statement(
    `billing.history-${way.name}`,
    {
      params: {
        orgId: ledgerEntries.orgId,
        requestId: typed<string | null>('text'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: allOf(ledgerEntries),
    },
    ({ orgId: org, requestId, limit, ...position }, row) => sql`select ${row} from ${ledgerEntries}
      where ${ledgerEntries.orgId} = ${org} and ${way.beyond(position)}
        and (${requestId}::text is null or ${ledgerEntries.requestId} = ${requestId}) ${way.order} limit ${limit}`,
  ),
);
