import { ServiceError } from '../../core/errors.ts';
import type { Plan } from '../../engines/licences/claims.ts';
import { auditResult } from '../../engines/site-audit/audit-result.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Reported } from '../payments/shared/chain-payments.ts';
import { hostAdmission } from '../site-audits/shared/admit-host.ts';
import { recordAudit } from '../site-audits/shared/record-audit.ts';

/** Audits the site that a licence is for. The licence is issued whatever comes of it. Contract 00, section 2.2. */
export async function auditForLicence(
  { services }: Pick<Context, 'services'>,
  target: URL,
  plan: Plan,
): Promise<Reported> {
  try {
    const { audited } = await services.auditor.audit(target, {
      admit: hostAdmission(services),
      fresh: true,
      // Who paid gets the report also when the statistics do not.
      finished: (done) =>
        recordAudit(services.db, services, done, plan === 'starter' ? 'audit' : plan).catch((failure: unknown) =>
          services.log.warn({ err: failure }, 'An audit is missing from the statistics.'),
        ),
    });
    return { report: auditResult(audited.report, plan), reportError: null };
  } catch (error) {
    if (error instanceof ServiceError) return { report: null, reportError: error.code.toLowerCase() };
    throw error;
  }
}
