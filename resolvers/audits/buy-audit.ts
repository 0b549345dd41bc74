import { z } from 'zod';
import { auditResult, fullReport } from '../../engines/audit/audit-result.ts';
import type { Audited } from '../../engines/audit/audit-run.ts';
import { anyone } from '../access.ts';
import { mutation } from '../operation.ts';
import { hostAdmission } from './admit-host.ts';
import { auditPrices } from './price-table.ts';

/** An audit with everything in it. */
export interface BoughtAudit {
  readonly audited: Audited;
  /** The payment that it was bought by, `txp_…`. */
  readonly paymentId: string;
}

const price = { ...auditPrices.audit, network: 'base' } as const;

/** `GET` and `POST /api/x402-audit`, and `/api/audit` with `unlock`. Contract 00, sections 0.3 and 1.14. */
export const buyAudit = mutation({
  name: 'audit.buy',
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
  async prepare({ services }, { url }) {
    const { auditor, settings } = services;
    const { audited } = await auditor.audit(auditor.target(url ?? settings.auditDefaultUrl), {
      admit: hostAdmission(services),
      fresh: true,
    });
    return audited;
  },
  handler: async ({ payment }, _input, audited): Promise<BoughtAudit> => ({ audited, paymentId: payment!.id }),
  audit: ({ audited, paymentId }) => ({
    action: 'audit.bought',
    object: { kind: 'payment', id: paymentId },
    details: { domain: audited.report.domain },
  }),
  wire: z.object({
    ok: z.literal(true),
    domain: z.string(),
    target_url: z.string(),
    geo_score: z.int(),
    schema_score: z.int(),
    llms_txt_score: z.int(),
    has_jsonld: z.boolean(),
    has_llms_txt: z.boolean(),
    allows_ai_bots: z.boolean(),
    generated_jsonld: z.string(),
    generated_llms_txt: z.string(),
    tier: z.string(),
    report: z.record(z.string(), z.unknown()),
    audited_at: z.iso.datetime(),
    payment_id: z.string(),
  }),
  toWire: ({ audited, paymentId }) => ({
    ...auditResult(audited.report, price.sku),
    report: fullReport(audited.report),
    audited_at: audited.auditedAt.toISOString(),
    payment_id: paymentId,
  }),
});
