import { z } from 'zod';
import { createGuardedFetch } from '../../core/guarded-fetch.ts';
import { type Lightning, type LightningSettings, LightningUnavailable } from './lightning.ts';

/** A number of dollars above zero and below a billion. */
const dollars = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => /^\d{1,9}(\.\d+)?$/.test(text) && Number(text) > 0);

const ticker = z.union([
  z.object({ data: z.object({ amount: dollars, currency: z.literal('USD') }) }).transform(({ data }) => data.amount),
  z.object({ bitcoin: z.object({ usd: dollars }) }).transform(({ bitcoin }) => bitcoin.usd),
]);

/** Says what a bitcoin costs: as a ticker says, or always the same. The host of a ticker is its name. */
export function createRateSource(rate: LightningSettings['rate']): Lightning['rate'] {
  if ('fixed' in rate) return async () => ({ usdPerBtc: rate.fixed, source: 'configuration', observedAt: new Date() });
  const { origin, hostname } = new URL(rate.url);
  const guarded = createGuardedFetch({ named: [origin], bytesMax: 64 * 1024 });
  return async () => {
    const { data: usdPerBtc } = ticker.safeParse(await read(() => guarded(rate.url)));
    if (usdPerBtc === undefined) throw new LightningUnavailable('The ticker does not say what a bitcoin costs.');
    return { usdPerBtc, source: hostname, observedAt: new Date() };
  };
}

async function read(ask: () => Promise<Response>): Promise<unknown> {
  try {
    const response = await ask();
    return response.ok ? await response.json() : undefined;
  } catch (cause) {
    throw new LightningUnavailable('The ticker cannot be asked.', { cause });
  }
}
