import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type FaucetDrip, faucetDrips } from '../../db/schema/faucet.ts';
import { allOf, insertInto, pick, statement } from '../../db/sql.ts';
import type { Faucet } from '../../engines/faucet/faucet.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { lookUntil } from '../../kernel/run/look-until.ts';
import type {} from './services.ts';

/** A gift that was asked for. */
export interface Drip {
  readonly id: string;
  /** Whether it was asked for now. */
  readonly isNew: boolean;
}

/** How long a request waits for its gift to be in a block, and how often it looks, in milliseconds. */
const waitMs = 20_000;
const lookMs = 150;

/** @throws FAUCET_NOT_CONFIGURED */
export function requireFaucet({ services: { faucet } }: Pick<Context, 'services'>): Faucet {
  if (faucet === undefined) throw new ServiceError('FAUCET_NOT_CONFIGURED');
  return faucet;
}

/** Whether the account can give so much, before anything is promised. @throws TREASURY_LOW · UPSTREAM_UNAVAILABLE */
export async function requireTreasury(ctx: Pick<Context, 'services'>, amount: bigint): Promise<void> {
  const covers = await requireFaucet(ctx)
    .covers(amount)
    .catch((error: unknown) => {
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 5, cause: error });
    });
  if (!covers) throw new ServiceError('TREASURY_LOW');
}

/** Promises a gift: a node sends it once that is committed. */
export async function addDrip(work: Work, { id, address, amount }: Pick<FaucetDrip, 'id' | 'address' | 'amount'>) {
  await work.rows(insertStatement.with({ id, address, amount }));
  work.afterCommit(() => work.services.faucetWork.wake());
}

/**
 * Waits until a gift is in a block.
 *
 * @throws FAUCET_CONFIRMATION_PENDING · FAUCET_TRANSFER_REVERTED · TREASURY_LOW
 */
export async function settledDrip(ctx: Context, { id }: Drip): Promise<FaucetDrip> {
  const drip = await lookUntil(
    ctx,
    async () => (await ctx.services.db.rows(findStatement.with({ id })))[0],
    (seen) => seen?.state === 'confirmed' || seen?.state === 'failed',
    { waitMs, lookMs },
  );
  if (drip?.state === 'confirmed') return drip;
  if (drip?.state === 'failed')
    throw new ServiceError(drip.failure === 'reverted' ? 'FAUCET_TRANSFER_REVERTED' : 'TREASURY_LOW');
  const details = { transaction_hash: drip?.txHash ?? null };
  throw new ServiceError('FAUCET_CONFIRMATION_PENDING', { retryAfter: 5, details });
}

export const GiftWire = z.object({
  transaction_hash: z.string(),
  amount_usd_micros: z.int(),
  token: z.literal('USDC'),
  network: z.literal('base-sepolia'),
});

export const giftToWire = ({ txHash, amount }: FaucetDrip): z.infer<typeof GiftWire> => ({
  transaction_hash: txHash!,
  amount_usd_micros: Number(amount),
  token: 'USDC',
  network: 'base-sepolia',
});

const findStatement = statement(
  'faucet.find',
  { params: pick(faucetDrips, 'id'), row: allOf(faucetDrips) },
  ({ id }, row) => sql`select ${row} from ${faucetDrips} where ${faucetDrips.id} = ${id}`,
);

const insertStatement = statement('faucet.insert', { params: pick(faucetDrips, 'id', 'address', 'amount') }, (given) =>
  insertInto(faucetDrips, { ...given, dueAt: sql`now()` }),
);
