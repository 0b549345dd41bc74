import { getAuditStats } from '../resolvers/audits/audit-stats.ts';
import { buyAudit } from '../resolvers/audits/buy-audit.ts';
import { getPricing } from '../resolvers/audits/get-pricing.ts';
import { runAudit } from '../resolvers/audits/run-audit.ts';
import { recordInquiry } from '../resolvers/inquiries/record-inquiry.ts';
import { auditPrices } from '../resolvers/payments/shared/price-table.ts';
import { apiRoute, unlockable } from './api-route.ts';
import { auditDoc, boughtAuditDoc, inquiryDoc, pricingDoc, statsDoc } from './audit-docs.ts';
import type { RestRequest } from './route.ts';

/** Who pays is all that counts. */
const ofPayer = { withoutCredential: true } as const;

const { path: boughtAt } = auditPrices.audit;

/** Which site a request names: in its body, or else in its query. */
const siteOf = ({ query, body }: RestRequest) => ({ url: body.url ?? query.url });

/** Paths of the audit gateway. Contract 00, section 0.1. */
export const auditRoutes = [
  unlockable(
    apiRoute('GET', '/api/audit', buyAudit, ({ query }) => ({ url: query.url }), boughtAuditDoc, ofPayer),
    apiRoute('GET', '/api/audit', runAudit, ({ query }) => ({ url: query.url }), auditDoc),
  ),
  unlockable(
    apiRoute('POST', '/api/audit', buyAudit, siteOf, boughtAuditDoc, ofPayer),
    apiRoute('POST', '/api/audit', runAudit, siteOf, auditDoc),
  ),
  apiRoute(
    'GET',
    boughtAt,
    buyAudit,
    ({ query }) => ({ url: query.url, payment_proof: query.payment_proof }),
    boughtAuditDoc,
    ofPayer,
  ),
  apiRoute(
    'POST',
    boughtAt,
    buyAudit,
    ({ query, body }) => ({
      url: body.url ?? query.url,
      payment_proof: body.payment_proof ?? query.payment_proof,
    }),
    boughtAuditDoc,
    ofPayer,
  ),
  apiRoute('GET', '/api/pricing', getPricing, () => ({}), pricingDoc),
  apiRoute('GET', '/api/stats', getAuditStats, () => ({}), statsDoc),
  apiRoute(
    'POST',
    '/api/inquiry',
    recordInquiry,
    ({ body }) => ({
      email: body.email,
      name: body.name,
      company: body.company,
      buyer_domain: body.buyer_domain,
      kind: body.kind,
      offer_usd: body.offer_usd,
      message: body.message,
      website: body.website,
    }),
    inquiryDoc,
  ),
];
