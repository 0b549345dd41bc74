import { runAudit } from '../resolvers/audits/run-audit.ts';
import { route } from './route.ts';

/** Paths of the audit gateway. Contract 00, section 0.1. */
export const auditRoutes = [
  route('GET', '/api/audit', 200, runAudit, ({ query }) => ({ url: query.url })),
  route('POST', '/api/audit', 200, runAudit, ({ body }) => ({ url: body.url })),
];
