import { randomBytes } from 'node:crypto';
import type { PayableRequest, Payer, PaymentChallenge, PaymentOption } from '../../../sdk/src/payment.ts';
import type { Cli } from '../cli.ts';
import { local } from '../failure.ts';
import { activeWallet, type Wallet } from '../files/wallets.ts';
import { dollars } from '../human-values.ts';
import { signTransfer } from './signing.ts';

/** What may be spent on one request unless told otherwise: 0.10 USD. */
export const usualCapMicros = 100_000;

/** Longest time that a payment may stay good for, in seconds. */
const timeoutSecondsMax = 300;

/** Networks that are paid on, the test network first: it is what a wallet of `svc init` has. */
const networks: Readonly<Record<string, { readonly chainId: number; readonly asset: string }>> = {
  'eip155:84532': { chainId: 84532, asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e' },
  'eip155:8453': { chainId: 8453, asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
};

export const networkNames = { 'base-sepolia': 'eip155:84532', base: 'eip155:8453' } as const;

export interface PayOptions {
  /** @default 100000, a tenth of a dollar */
  readonly capMicros?: number | undefined;
  /** @default the test network where it is offered, else the main one */
  readonly network?: keyof typeof networkNames | undefined;
  /** Told of what is about to be paid. */
  readonly onOffer?: (offer: PaymentOption, payer: string) => void;
}

/** Pays from the wallet in use what is asked for, up to a cap. @throws SPEND_CAP_EXCEEDED, PAYMENT_SETTLEMENT_FAILED */
export const walletPayer =
  (cli: Cli, options: PayOptions): Payer =>
  async (challenge, request) => {
    refuseOtherAddress(challenge, request);
    const offer = chooseOffer(challenge.accepts, options);
    const wallet = await activeWallet(cli);
    options.onOffer?.(offer, wallet.address);
    const name = challenge.x402Version === 1 ? 'x-payment' : 'payment-signature';
    return { [name]: signedPayment(wallet, challenge, offer) };
  };

function refuseOtherAddress({ resource }: PaymentChallenge, { url }: PayableRequest): void {
  if (resource === undefined || resource.url === url) return;
  throw local('PAYMENT_SETTLEMENT_FAILED', 'The price is asked for another address than the one requested.', {
    details: { requested: url, priced: resource.url },
  });
}

function chooseOffer(
  accepts: readonly PaymentOption[],
  { capMicros = usualCapMicros, network }: PayOptions,
): PaymentOption {
  const order = network === undefined ? Object.keys(networks) : [networkNames[network]];
  const offer = order
    .flatMap((name) => accepts.filter((one) => one.network === name))
    .find(
      (one) =>
        one.scheme === 'exact' &&
        one.asset.toLowerCase() === networks[one.network]?.asset &&
        /^\d+$/.test(one.amount) &&
        /^0x[0-9a-fA-F]{40}$/.test(one.payTo) &&
        one.maxTimeoutSeconds <= timeoutSecondsMax,
    );
  if (offer === undefined)
    throw local('PAYMENT_SETTLEMENT_FAILED', 'No offered way to pay is one that this wallet can use.', {
      details: { offered: accepts.map(({ scheme, network: at, asset }) => ({ scheme, network: at, asset })) },
    });
  if (BigInt(offer.amount) > BigInt(capMicros))
    throw local(
      'SPEND_CAP_EXCEEDED',
      `The price is ${dollars(Number(offer.amount))}, and at most ${dollars(capMicros)} may be paid.`,
      {
        hint: `Nothing was paid. --max-usd-micros ${offer.amount} allows it.`,
        details: { amount_usd_micros: Number(offer.amount), cap_usd_micros: capMicros, network: offer.network },
      },
    );
  return offer;
}

function signedPayment(
  wallet: Wallet,
  { x402Version, resource, extensions }: PaymentChallenge,
  offer: PaymentOption,
): string {
  const authorization = {
    from: wallet.address,
    to: offer.payTo,
    value: offer.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  };
  const { chainId } = networks[offer.network]!;
  const { name = 'USDC', version = '2' } = (offer.extra ?? {}) as { name?: string; version?: string };
  const signature = signTransfer(wallet.privateKey, { name, version, chainId, contract: offer.asset }, authorization);
  const payload = { signature, authorization };
  const payment =
    x402Version === 1
      ? { x402Version, scheme: offer.scheme, network: offer.network, payload }
      : { x402Version, resource, accepted: offer, payload, ...(extensions === undefined ? {} : { extensions }) };
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}
