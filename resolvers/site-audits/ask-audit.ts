import { z } from 'zod';
import type { AuditRequest } from '../../engines/site-audit/auditor.ts';
import type { Context } from '../../kernel/run/context.ts';
import { hostAdmission } from './shared/admit-host.ts';
import { recordAudit } from './shared/record-audit.ts';

/** What every free audit is asked with. */
export const auditInput = z.object({
  url: z.string().optional().describe('HTTPS address or host name of the site; example.com when absent.'),
});

/** Says what may be audited for nothing, and has it counted. @throws the refusals of a target */
export function askAudit(
  { services }: Pick<Context, 'services'>,
  { url = services.settings.auditDefaultUrl }: z.output<typeof auditInput>,
): { readonly target: URL; readonly request: AuditRequest } {
  const { auditor, db, log } = services;
  return {
    target: auditor.target(url),
    request: {
      admit: hostAdmission(services),
      // Who asked gets the report also when the statistics do not.
      finished: (audited) =>
        recordAudit(db, services, audited, 'free').catch((error: unknown) =>
          log.warn({ err: error }, 'An audit is missing from the statistics.'),
        ),
    },
  };
}
