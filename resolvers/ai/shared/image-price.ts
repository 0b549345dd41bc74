import type { NetworkName } from '../../../engines/x402/networks.ts';
import type { Price } from '../../../kernel/run/price.ts';

/** What an image costs, in micro-dollars. Contract 04, section 1.5. */
export const imagePriceMicros = 30_000n;

/** What it costs on chain. @param available what the balance has, which does not cover it */
export const imagePrice = (network: NetworkName, available: bigint): Price => ({
  sku: 'image',
  amount: imagePriceMicros,
  network,
  description: 'An image made by a model.',
  maxTimeoutSeconds: 300,
  details: { required_usd_micros: Number(imagePriceMicros), available_usd_micros: Number(available) },
});
