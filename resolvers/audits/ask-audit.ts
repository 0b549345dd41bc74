import { z } from 'zod';
import { networkOf } from '../../core/network-of.ts';
import type { AuditRequest } from '../../engines/audit/auditor.ts';
import type { Context } from '../context.ts';
import { type Rate, refuseHurry } from '../rate-limit.ts';
import { hostAdmission } from './admit-host.ts';

/** Of one client address. Contract 00, section 6.3. */
const perMinute: Rate = { perSecond: 10 / 60, burst: 10 };
const perDay: Rate = { perSecond: 100 / 86_400, burst: 100 };

/** What every free audit is asked with. */
export const auditInput = z.object({
  url: z.string().optional().describe('HTTPS address or host name of the site; example.com when absent.'),
});

/**
 * Charges the caller for a free audit, and says what may be audited.
 *
 * @throws RATE_LIMITED, and the refusals of a target
 */
export function askAudit(
  { services, request }: Pick<Context, 'services' | 'request'>,
  { url = services.settings.auditDefaultUrl }: z.output<typeof auditInput>,
): { readonly target: URL; readonly request: AuditRequest } {
  const { rateLimiter, auditor } = services;
  const network = networkOf(request.address);
  refuseHurry(rateLimiter.peek(`audits-of-day:${network}`, perDay));
  refuseHurry(rateLimiter.take(`audits:${network}`, perMinute));
  rateLimiter.take(`audits-of-day:${network}`, perDay);
  return { target: auditor.target(url), request: { admit: hostAdmission(services) } };
}
