import { z } from 'zod';
import type { AuditProgress } from '../../engines/site-audit/audit-run.ts';
import { anyone } from '../../kernel/access/access.ts';
import { budgets } from '../../kernel/limits/budgets.ts';
import { query } from '../../kernel/run/operation.ts';
import { askAudit, auditInput } from './ask-audit.ts';

export interface WatchedAudit {
  readonly targetUrl: string;
  /** Ends with the audit, or quietly when nobody waits any more. */
  readonly steps: AsyncGenerator<AuditProgress, void, undefined>;
}

/** An audit of which its caller is told step by step: the same one that others have who ask meanwhile. */
export const watchAudit = query({
  name: 'audit.watch',
  command: 'audit run --watch',
  sdk: 'follow',
  follows: ['auditProgress'],
  summary: 'Begin to follow a site’s audit.',
  access: anyone(),
  budget: () => budgets.freeAudits,
  input: auditInput,
  async handler(ctx, input): Promise<WatchedAudit> {
    const { target, request } = askAudit(ctx, input);
    return { targetUrl: target.href, steps: ctx.services.auditor.watch(target, request, ctx.signal) };
  },
  wire: z.object({ target_url: z.string() }),
  toWire: ({ targetUrl }) => ({ target_url: targetUrl }),
});
