import { getAuditStats } from '../resolvers/audits/audit-stats.ts';
import { runAudit } from '../resolvers/audits/run-audit.ts';
import { recordInquiry } from '../resolvers/inquiries/record-inquiry.ts';
import { apiRoute } from './api-route.ts';
import { auditDoc, inquiryDoc, statsDoc } from './audit-docs.ts';

/** Paths of the audit gateway. Contract 00, section 0.1. */
export const auditRoutes = [
  apiRoute('GET', '/api/audit', runAudit, ({ query }) => ({ url: query.url }), auditDoc),
  apiRoute('POST', '/api/audit', runAudit, ({ body }) => ({ url: body.url }), auditDoc),
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
