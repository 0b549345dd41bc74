import type { Context } from '../context.ts';
import { settlementAddress } from '../payments/settlement-address.ts';

/** What a seat costs, in test money. Contract 02, section 2.8. */
export const seat = { sku: 'room_seat', amountUsdMicros: 10_000, network: 'base-sepolia' } as const;

/** USDC of the test network as x402 names it; its smallest unit is a micro-dollar. */
const testToken = {
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  extra: { name: 'USDC', version: '2' },
} as const;

/** How long a signed payment may take to arrive, in seconds. */
const paymentSeconds = 300;

/** The challenge of x402, version 2, for a seat that is taken at a path of this server. */
export const seatChallenge = async ({ services, request }: Context, path: string) => ({
  x402Version: 2,
  error: 'Payment required',
  resource: {
    url: (services.settings.publicBaseUrl ?? request.baseUrl) + path,
    description: 'A permanent viewer seat in a room.',
    mimeType: 'application/json',
  },
  accepts: [
    {
      scheme: 'exact',
      network: testToken.network,
      asset: testToken.asset,
      amount: String(seat.amountUsdMicros),
      payTo: await settlementAddress(services),
      maxTimeoutSeconds: paymentSeconds,
      extra: testToken.extra,
    },
  ],
});
