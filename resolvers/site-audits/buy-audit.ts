import { z } from 'zod';
import { auditResult, fullReport } from '../../engines/site-audit/audit-result.ts';
import type { Audited } from '../../engines/site-audit/audit-run.ts';
import { anyone } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { orderToWire, recordOrder, type Sold, soldOf } from '../orders/shared/record-order.ts';
import { auditPrices } from '../payments/shared/price-table.ts';
import { hostAdmission } from './shared/admit-host.ts';
import { auditResultFields, FullReportWire, OrderWire } from './shared/audit-result-wire.ts';
import { recordAudit } from './shared/record-audit.ts';
import { whoWaits } from './shared/who-waits.ts';

/** An audit with everything in it. */
export interface BoughtAudit {
  readonly audited: Audited;
  readonly sold: Sold;
}

const price = { ...auditPrices.audit, network: 'base' } as const;

/** `GET` and `POST /api/x402-audit`, and `/api/audit` with `unlock`. Contract 00, sections 0.3 and 1.14. */
export const buyAudit = mutation({
  name: 'audit.buy',
  tool: 'buy_audit',
  command: 'audit buy',
  effects: ['openWorld'],
  duration: 'steps',
  summary: 'Audit a site afresh and get the whole report, for 0.01 USD in USDC on base by x402.',
  access: anyone(),
  input: z.object({
    url: z.string().optional().describe('HTTPS address or host name of the site; example.com when absent.'),
    payment_proof: z
      .string()
      .optional()
      .meta({ secret: true })
      .describe('A signed payment of x402 in base64, or the hash of a transaction that paid, in place of a header.'),
  }),
  price: { family: 'gateway', price, proofInput: 'payment_proof' },
  // Fetched for whoever pays, however lately it was fetched for somebody else.
  async prepare(ctx, { url = ctx.services.settings.auditDefaultUrl }) {
    const { auditor } = ctx.services;
    const request = { admit: hostAdmission(ctx.services), fresh: true, ...whoWaits(ctx) };
    const { audited } = await auditor.audit(auditor.target(url), request);
    return audited;
  },
  async handler(work, _input, audited): Promise<BoughtAudit> {
    const { report, auditedAt } = audited;
    const sold = await soldOf(work, { tier: price.sku, domain: report.domain, auditedAt });
    await recordOrder(work, sold);
    await recordAudit(work, work.services, audited, 'audit');
    return { audited, sold };
  },
  audit: ({ sold }) => ({
    action: 'audit.bought',
    object: { kind: 'order', id: sold.id },
    details: { domain: sold.domain },
  }),
  wire: z.object({ ...auditResultFields, report: FullReportWire, order: OrderWire }),
  toWire: ({ audited, sold }) => ({
    ...auditResult(audited.report, price.sku),
    report: fullReport(audited.report),
    order: orderToWire(sold),
  }),
});
