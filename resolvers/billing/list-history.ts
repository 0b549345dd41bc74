import { z } from 'zod';
import { columnsOf } from '../../db/columns-of.ts';
import { type LedgerEntry, ledgerEntries } from '../../db/schema/orgs.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId, pageLimitOf } from '../../kernel/input/fields.ts';
import { bySeq, type ListPage, listWindow, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
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
  input: z.object({ org: orgId, ...listWindow, limit: pageLimitOf(20) }),
  async handler({ services: { db, keys }, org }, window): Promise<HistoryPage> {
    const list = bySeq.newestFirst(keys, `ledger:${org.id}`);
    const values = [org.id, ...list.positionOf(window), window.limit + 1];
    const rows = await db.rows<LedgerEntry>(list.statementOf(window, historyStatements), values);
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

const historyStatements = bySeq.bothWays((way) => ({
  name: `billing.history-${way.name}`,
  text: `select ${columnsOf(ledgerEntries, 'e')} from ledger_entries e
    where e.org_id = $1 and ${way.beyond('e', 2)}
    ${way.order('e')} limit $3`,
}));
