import { networks } from '../../engines/x402/networks.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { AnyMutation } from '../../kernel/run/operation.ts';
import type { Run } from '../../kernel/run/run.ts';
import type { HeldPayment } from './payment-rows.ts';
import type { PaidSale } from './sale.ts';

/** Ends the transaction of a dry run. */
class DryRunRolledBack extends Error {
  override readonly name = 'DryRunRolledBack';
}

/** Makes the change and takes it back, as if it were paid for. @throws the change's own refusal */
export async function dryRun(
  { ctx, price, terms }: PaidSale,
  { op, scope, input }: Pick<Run<AnyMutation>, 'op' | 'scope' | 'input'>,
  { row }: HeldPayment,
): Promise<void> {
  const settlement: Settlement = {
    network: terms.network,
    chainId: networks[terms.network].chainId,
    transaction: `0x${'0'.repeat(64)}`,
    logIndex: null,
    payer: row.payer as Settlement['payer'],
    amount: terms.amount,
    blockTime: ctx.services.now(),
  };
  const payment = { id: row.id, price, settlement, trial: true };
  try {
    await unitOfWork(ctx, async (work) => {
      await op.handler({ ...scope, ...work, payment }, input, undefined);
      throw new DryRunRolledBack();
    });
  } catch (error) {
    if (!(error instanceof DryRunRolledBack)) throw error;
  }
}
