import { z } from 'zod';
import { sha256Of } from '../../engines/bundles/bundle-file.ts';
import { orderFacts, orderType, packTier, proPack } from '../../engines/bundles/pro-pack.ts';
import { zip } from '../../engines/bundles/zip.ts';
import type { AuditReport } from '../../engines/site-audit/analyse.ts';
import { auditResult, fullReport } from '../../engines/site-audit/audit-result.ts';
import { rubricText } from '../../engines/site-audit/rubric/rubric-text.ts';
import { anyone } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { type Delivery, deliveryToWire, openDownload } from '../downloads/shared/open-download.ts';
import { requireSigner } from '../licences/shared/require-signer.ts';
import { orderToWire, recordOrder, type Sold, soldOf } from '../orders/shared/record-order.ts';
import { auditPrices } from '../payments/shared/price-table.ts';
import { hostAdmission } from '../site-audits/shared/admit-host.ts';
import { auditResultFields, DeliveryWire, FullReportWire, OrderWire } from '../site-audits/shared/audit-result-wire.ts';
import { recordAudit } from '../site-audits/shared/record-audit.ts';
import { whoWaits } from '../site-audits/shared/who-waits.ts';

/** A whole audit, and what was made of it. */
export interface BoughtPack {
  readonly report: AuditReport;
  readonly sold: Sold;
  readonly bundle: Delivery;
}

const price = { ...auditPrices.pro, network: 'base' } as const;

/** `GET` and `POST /api/x402-pro`, and its aliases. Contract 00, sections 0.1 and 5.2. */
export const buyPack = mutation({
  name: 'products.buyPack',
  tool: 'buy_audit_pack',
  command: 'audit buy-pack',
  effects: ['openWorld'],
  duration: 'steps',
  summary: 'Buy the whole audit of a site, and files made from it that are ready to be put there.',
  access: anyone(),
  price: { family: 'gateway', price },
  input: z.object({
    url: z.string().optional().describe('HTTPS address or host name of the site; example.com when absent.'),
  }),
  async prepare(ctx, { url = ctx.services.settings.auditDefaultUrl }) {
    await requireSigner(ctx.services);
    const { auditor } = ctx.services;
    const request = { admit: hostAdmission(ctx.services), fresh: true, ...whoWaits(ctx) };
    const { audited } = await auditor.audit(auditor.target(url), request);
    return audited;
  },
  async handler(work, _input, audited): Promise<BoughtPack> {
    const { report, auditedAt } = audited;
    const sold = await soldOf(work, { tier: packTier, domain: report.domain, auditedAt });
    const signer = await requireSigner(work.services);
    const signature = await signer.sign(orderType, orderFacts(sold));
    const bytes = zip(proPack({ report, order: sold, keyId: signer.kid, signature, rubric: rubricText() }));
    await recordOrder(work, sold, sha256Of(bytes));
    await recordAudit(work, work.services, audited, packTier);
    const filename = `pro-pack-${report.domain}.zip`;
    const bundle = await openDownload(work, { orderId: sold.id, filename, bytes });
    return { report, sold, bundle };
  },
  audit: ({ sold }) => ({
    action: 'audit.pack_bought',
    object: { kind: 'order', id: sold.id },
    details: { domain: sold.domain },
  }),
  wire: z
    .object({ ...auditResultFields, report: FullReportWire, order: OrderWire, bundle: DeliveryWire })
    .meta({ id: 'ProPack' }),
  toWire: ({ report, sold, bundle }) => ({
    ...auditResult(report, packTier),
    report: fullReport(report),
    order: orderToWire(sold),
    bundle: deliveryToWire(bundle),
  }),
});
