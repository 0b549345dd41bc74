import { domain } from '../../kernel/run/domain.ts';
import { getAuditStats } from './audit-stats.ts';
import { buyAudit } from './buy-audit.ts';
import { getPricing } from './get-pricing.ts';
import { runAudit } from './run-audit.ts';
import { watchAudit } from './watch-audit.ts';

export const audits = domain('audits', {
  operations: [getPricing, runAudit, getAuditStats, buyAudit, watchAudit],
  expires: [
    { table: 'audit_hosts', when: 'full_at < now()' },
    // Statistics know their number by then from the days.
    { table: 'audits', when: `created_at < now() - interval '400 days'` },
    { table: 'audited_domains', when: `audited_at < now() - interval '400 days'` },
  ],
});
