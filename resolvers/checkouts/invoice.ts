import { invalidField, ServiceError } from '../../core/errors.ts';
import { type Lightning, LightningUnavailable, type Rate, satsValue } from '../../engines/lightning/lightning.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type Checkout, noteInvoice } from './checkout-rows.ts';
import { lightningOf } from './providers.ts';

const satsMin = 100;
const satsMax = 1_000_000;
/** For how long an invoice can be paid, in seconds. */
const expirySeconds = 900;

/** @throws LIGHTNING_TOPUP_AMOUNT_OUT_OF_BOUNDS; VALIDATION_FAILED where nothing is said */
export function refuseSats(sats: number | undefined): asserts sats is number {
  if (sats === undefined) throw invalidField('amount_sats', 'must say how much');
  if (Number.isInteger(sats) && sats >= satsMin && sats <= satsMax) return;
  throw new ServiceError('LIGHTNING_TOPUP_AMOUNT_OUT_OF_BOUNDS', {
    details: { field: 'amount_sats', min_sats: satsMin, max_sats: satsMax },
  });
}

/** What a bitcoin costs now. @throws LIGHTNING_TOPUP_NOT_CONFIGURED, LIGHTNING_TOPUP_PROVIDER_UNAVAILABLE */
export function rateNow({ services }: Pick<Context, 'services'>): Promise<Rate> {
  const lightning = lightningOf(services);
  return providerOf(() => lightning.rate());
}

/** What is credited for an invoice, and why. @throws LIGHTNING_TOPUP_PROVIDER_UNAVAILABLE for a rate that makes it nothing */
export function quote(sats: number, { usdPerBtc, source, observedAt }: Rate) {
  const amount = satsValue(BigInt(sats), usdPerBtc);
  if (amount === 0n) throw new ServiceError('LIGHTNING_TOPUP_PROVIDER_UNAVAILABLE');
  const observed_at = observedAt.toISOString();
  return { amount, quotedRate: { usd_per_btc: usdPerBtc, source, observed_at, amount_sats: sats } };
}

/**
 * The preimage follows from the top-up, so that an invoice that was made and not noted is made again as the same one. A wallet
 * that chooses them itself makes another one: nobody has seen the first.
 */
export async function makeInvoice({ services }: Pick<Context, 'services'>, wanted: Checkout): Promise<void> {
  const lightning: Lightning = lightningOf(services);
  const { bolt11, paymentHash, expiresAt } = await providerOf(() =>
    lightning.createInvoice({
      preimage: services.keys.mac('lightning-invoices', wanted.id),
      sats: wanted.amountSats!,
      memo: `Prepaid balance, top-up ${wanted.id}`,
      expirySeconds,
    }),
  );
  await noteInvoice(services.db.rows, { id: wanted.id, bolt11, paymentHash, invoiceExpiresAt: expiresAt });
}

/** @throws LIGHTNING_TOPUP_PROVIDER_UNAVAILABLE */
async function providerOf<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof LightningUnavailable)) throw error;
    throw new ServiceError('LIGHTNING_TOPUP_PROVIDER_UNAVAILABLE', { cause: error });
  }
}
