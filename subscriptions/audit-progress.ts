import type { AuditProgress } from '../engines/site-audit/audit-run.ts';
import { asRefusal } from '../kernel/run/as-refusal.ts';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { type FreeAudit, freeAudit } from '../resolvers/site-audits/free-audit.ts';
import { watchAudit } from '../resolvers/site-audits/watch-audit.ts';
import { stoppable } from './stoppable.ts';

type Finished = Extract<AuditProgress, { stage: 'finished' }>;

/** The progress of an audit, as its watchers get it. */
export type AuditProgressEvent =
  | Exclude<AuditProgress, Finished>
  | (Pick<Finished, 'stage' | 'at'> & { readonly report: FreeAudit });

/** A site's free audit as it goes on; it ends with the report, or with what the audit was refused with. */
export const followAudit = (
  ctx: Context,
  options: { readonly url?: string | undefined },
): AsyncIterable<AuditProgressEvent> => stoppable(ctx.signal, (signal) => follow({ ...ctx, signal }, options));

async function* follow(
  ctx: Context,
  options: { readonly url?: string | undefined },
): AsyncGenerator<AuditProgressEvent, void, undefined> {
  const { steps } = await execute(watchAudit, ctx, options);
  try {
    for await (const step of steps)
      yield step.stage === 'finished'
        ? { stage: step.stage, at: step.at, report: freeAudit(step.audited, step.cached) }
        : step;
  } catch (error) {
    // It failed after the operation had answered: watchers get the refusal that the caller would have got.
    throw asRefusal(error);
  }
}
