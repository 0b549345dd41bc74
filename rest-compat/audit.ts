import { recordInquiry } from '../resolvers/inquiries/record-inquiry.ts';
import { auditPrices } from '../resolvers/payments/shared/price-table.ts';
import { getAuditStats } from '../resolvers/site-audits/audit-stats.ts';
import { buyAudit } from '../resolvers/site-audits/buy-audit.ts';
import { getPricing } from '../resolvers/site-audits/get-pricing.ts';
import { runAudit } from '../resolvers/site-audits/run-audit.ts';
import { apiRoute, unlockable } from './api-route.ts';
import { auditDoc, boughtAuditDoc, inquiryDoc, pricingDoc, statsDoc } from './audit-docs.ts';

/** Who pays is all that counts. */
const ofPayer = { withoutCredential: true } as const;

const { path: boughtAt } = auditPrices.audit;

/** Paths of the audit gateway. Contract 00, section 0.1. */
export const auditRoutes = [
  unlockable(
    apiRoute('GET', '/api/audit', buyAudit, { payment_proof: null }, boughtAuditDoc, ofPayer),
    apiRoute('GET', '/api/audit', runAudit, {}, auditDoc),
  ),
  unlockable(
    apiRoute(
      'POST',
      '/api/audit',
      buyAudit,
      { url: ['body url', 'query url'], payment_proof: null },
      boughtAuditDoc,
      ofPayer,
    ),
    apiRoute('POST', '/api/audit', runAudit, { url: ['body url', 'query url'] }, auditDoc),
  ),
  apiRoute('GET', boughtAt, buyAudit, {}, boughtAuditDoc, ofPayer),
  apiRoute(
    'POST',
    boughtAt,
    buyAudit,
    { url: ['body url', 'query url'], payment_proof: ['body payment_proof', 'query payment_proof'] },
    boughtAuditDoc,
    ofPayer,
  ),
  apiRoute('GET', '/api/pricing', getPricing, {}, pricingDoc),
  apiRoute('GET', '/api/stats', getAuditStats, {}, statsDoc),
  apiRoute('POST', '/api/inquiry', recordInquiry, {}, inquiryDoc),
];
