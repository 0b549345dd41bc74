import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { networks } from '../../engines/x402/networks.ts';
import { encodeHeader } from '../../engines/x402/terms.ts';
import type { Chain } from '../helpers/chain.ts';
import type { ControlDatabase } from '../helpers/control-database.ts';

/** What a challenge asks for, as either version spells it. */
export interface Offer {
  readonly network: string;
  readonly payTo: Address;
  readonly amount: string;
  readonly maxTimeoutSeconds: number;
  readonly asset: Address;
  readonly extra: { readonly name: string; readonly version: string };
}

export const decoded = (header: string | null) => {
  if (header === null) throw new Error('There is no such header.');
  return JSON.parse(Buffer.from(header, 'base64').toString());
};

/** The challenge of a 402, from its header. */
export const challengeOf = ({ headers }: { readonly headers: Headers }) =>
  decoded(headers.get('payment-required')) as {
    readonly x402Version: 2;
    readonly error: string;
    readonly resource: { readonly url: string };
    readonly accepts: readonly [Offer];
    readonly extensions: Readonly<Record<string, unknown>>;
  };

export interface Signing {
  /** @default 2 */
  readonly version?: 1 | 2;
  readonly value?: bigint;
  readonly to?: Address;
  readonly validAfter?: bigint;
  readonly validBefore?: bigint;
  readonly nonce?: `0x${string}`;
  /** Put over what was signed, after signing. */
  readonly tampered?: Readonly<Record<string, string>>;
  /** Id of the extension `payment-identifier`. */
  readonly identifier?: string;
  readonly resourceUrl?: string;
}

const typesOfTransfer = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Signs what an offer asks for, by hand, so that anything of it can be wrong. @returns the value of a header */
export async function sign(payer: PrivateKeyAccount, offer: Offer, signing: Signing = {}): Promise<string> {
  const { version = 2, tampered, identifier, resourceUrl } = signing;
  const network = Object.values(networks).find(({ caip2 }) => caip2 === offer.network)!;
  const now = BigInt(Math.floor(Date.now() / 1000));
  const authorization = {
    from: payer.address,
    to: signing.to ?? offer.payTo,
    value: signing.value ?? BigInt(offer.amount),
    validAfter: signing.validAfter ?? 0n,
    validBefore: signing.validBefore ?? now + BigInt(offer.maxTimeoutSeconds),
    nonce: signing.nonce ?? (`0x${randomBytes(32).toString('hex')}` as const),
  };
  const signature = await payer.signTypedData({
    domain: { ...offer.extra, chainId: network.chainId, verifyingContract: offer.asset },
    types: typesOfTransfer,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
  const texts = Object.fromEntries(Object.entries(authorization).map(([name, value]) => [name, String(value)]));
  const payload = { signature, authorization: { ...texts, ...tampered } };
  return encodeHeader(
    version === 1
      ? { x402Version: 1, scheme: 'exact', network: network.name, payload }
      : {
          x402Version: 2,
          accepted: offer,
          payload,
          ...(resourceUrl === undefined ? {} : { resource: { url: resourceUrl } }),
          ...(identifier === undefined
            ? {}
            : { extensions: { 'payment-identifier': { info: { required: false, id: identifier } } } }),
        },
  );
}

/** The header that a version pays with. */
export const paying = (header: string, version: 1 | 2 = 2): Record<string, string> => ({
  [version === 1 ? 'x-payment' : 'payment-signature']: header,
});

/**
 * Sends a paid request until its audit was made: where many are made at once, a slow machine gives some of them up, and
 * the payment of such a one stays good.
 */
export async function served<Answer extends { readonly status: number }>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 502 && answer.status !== 503) return answer;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** The books: what the chain says was received beside what the ledger says was sold. */
export async function books(chain: Chain, control: ControlDatabase, payTo: Address) {
  const [sold] = await control.sql<{ orders: number; revenue: string }>(
    `select count(*)::int as orders, coalesce(sum(amount), 0)::text as revenue from payments
     where state in ('settled', 'delivered') and pay_to = $1`,
    [payTo.toLowerCase()],
  );
  return { received: await chain.balanceOf(payTo), revenue: BigInt(sold!.revenue), orders: sold!.orders };
}

export const statesOf = (control: ControlDatabase, payer: string) =>
  control.sql<{ state: string; tx_hash: string | null; outcome: Buffer | null }>(
    'select state, tx_hash, outcome from payments where payer = $1 order by created_at',
    [payer.toLowerCase()],
  );
