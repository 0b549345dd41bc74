import { auditRow } from '../../kernel/durability/audit-log.ts';
import { outcomeRow } from '../../kernel/durability/idempotency.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { AnyMutation } from '../../kernel/run/operation.ts';
import type { PaidFor } from '../../kernel/run/price.ts';
import type { Run } from '../../kernel/run/run.ts';
import { dryRun } from './dry-run.ts';
import { notifyOrg } from './payment-answer.ts';
import { settlePayment } from './payment-transitions.ts';
import type { Goods } from './sale.ts';
import { lockTransaction } from './shared/chain-payments.ts';

/** A priced operation: its change is made in one transaction with the payment's row. */
export const operationGoods = ({ op, scope, input }: Pick<Run<AnyMutation>, 'op' | 'scope' | 'input'>): Goods => ({
  name: op.name,
  // The operation's own work that can fail, else the change itself, taken back.
  async prepare(sale, held, isPaid) {
    const prepared = await op.prepare?.({ ...sale.ctx, ...scope }, input);
    if (op.prepare === undefined && !isPaid) await dryRun(sale, { op, scope, input }, held);
    return prepared;
  },
  async deliver(sale, { held, settlement, prepared }) {
    const { ctx, price, claim } = sale;
    const payment: PaidFor = { id: held.row.id, price, settlement, trial: false };
    const output = await unitOfWork(ctx, async (work) => {
      await lockTransaction(work.rows, settlement.network, settlement.transaction);
      const made = await op.handler({ ...scope, ...work, payment }, input, prepared);
      const orgId = notifyOrg(sale, scope, work, payment, made);
      await settlePayment(work.rows, ctx.services, held, { settlement, outcome: { output: made }, orgId });
      const entry = op.audit(made, input, scope);
      if (entry !== undefined) work.last(auditRow(ctx, sale.caller, scope, entry));
      if (claim !== undefined) work.last(outcomeRow(ctx, claim, { output: made }));
      return made;
    });
    return { output, isKept: true };
  },
});
