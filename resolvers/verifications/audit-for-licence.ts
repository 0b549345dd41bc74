import { ServiceError } from '../../core/errors.ts';
import { auditResult } from '../../engines/audit/audit-result.ts';
import type { Plan } from '../../engines/licences/claims.ts';
import type { Context } from '../context.ts';
import { type Rate, refuseHurry } from '../rate-limit.ts';

type AuditResult = ReturnType<typeof auditResult>;

/** Of one target host over all clients. Contract 00, section 6.3. */
const perHost: Rate = { perSecond: 6 / 60, burst: 6 };

/** What came of an audit: a report, or the code of its refusal. */
export interface Reported {
  readonly report: AuditResult | null;
  readonly reportError: string | null;
}

/** Audits the site that a licence is for. The licence is issued whatever comes of it. Contract 00, section 2.2. */
export async function auditForLicence(
  { services }: Pick<Context, 'services'>,
  target: URL,
  plan: Plan,
): Promise<Reported> {
  try {
    const { audited } = await services.auditor.audit(target, () =>
      refuseHurry(services.rateLimiter.take(`audit-host:${target.hostname}`, perHost)),
    );
    return { report: auditResult(audited.report, plan), reportError: null };
  } catch (error) {
    if (error instanceof ServiceError) return { report: null, reportError: error.code.toLowerCase() };
    throw error;
  }
}
