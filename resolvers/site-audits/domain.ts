import { isPast } from '../../db/intervals.ts';
import { auditedDomains, audits as kept } from '../../db/schema/audit-stats.ts';
import { auditHosts } from '../../db/schema/audits.ts';
import { domain } from '../../kernel/run/domain.ts';
import { getAuditStats } from './audit-stats.ts';
import { buyAudit } from './buy-audit.ts';
import { getPricing } from './get-pricing.ts';
import { runAudit } from './run-audit.ts';
import { watchAudit } from './watch-audit.ts';

export const audits = domain('audits', {
  operations: [getPricing, runAudit, getAuditStats, buyAudit, watchAudit],
  expires: [
    { table: auditHosts, when: isPast(auditHosts.fullAt) },
    // Statistics know their number by then from the days.
    { table: kept, when: isPast(kept.createdAt, '400 days') },
    { table: auditedDomains, when: isPast(auditedDomains.auditedAt, '400 days') },
  ],
});
