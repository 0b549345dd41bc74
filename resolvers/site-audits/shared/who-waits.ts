import type { AuditStep } from '../../../engines/site-audit/audit-run.ts';
import type { AuditRequest } from '../../../engines/site-audit/auditor.ts';
import type { Context } from '../../../kernel/run/context.ts';

/** What an audit does, in the order in which it does it as a rule, and how that is told. */
const steps = {
  queued: 'Waiting for its turn',
  resolved: 'Found the site',
  connected: 'Connected to the site',
  page: 'Read the page',
  robots: 'Read robots.txt',
  llms: 'Read llms.txt',
  llms_full: 'Looked for llms-full.txt',
  sitemap: 'Looked for a sitemap',
  analysing: 'Judging what was read',
} as const;

const kindOf = (step: AuditStep): string => (step.stage === 'fetched' ? step.document : step.stage);

/** Whoever asked for an audit, as far as they are told of its steps, and can say that they wait no more. */
export const whoWaits = ({ progress, cancelled }: Context): Pick<AuditRequest, 'told' | 'cancelled'> => ({
  cancelled,
  told: progress && reportSteps(progress),
});

/** What is read anew counts once. */
function reportSteps(progress: NonNullable<Context['progress']>): NonNullable<AuditRequest['told']> {
  const taken: string[] = [];
  return (step) => {
    const kind = kindOf(step);
    if (taken.includes(kind)) return;
    taken.push(kind);
    // The last of all is the report.
    progress({ done: taken.length, of: Object.keys(steps).length + 1, what: steps[kind as keyof typeof steps] });
  };
}
