import { randomBytes } from 'node:crypto';
import type { Cli } from '../cli.ts';
import { Failure, local } from '../failure.ts';
import { activeWallet, type Wallet } from '../files/wallets.ts';
import { fetchUrl, refusalOf } from './gateway.ts';
import { signTransfer } from './signing.ts';

/** What may be spent on one request unless told otherwise: 0.10 USD. */
export const usualCapMicros = 100_000;

/** Longest time that a payment may stay good for, in seconds. */
const timeoutSecondsMax = 300;

/** One way to pay, as a gateway offers it. Contract 04, section 1.3. */
interface Offer {
  readonly scheme: string;
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra?: { readonly name?: string; readonly version?: string };
}

interface Challenge {
  readonly x402Version: number;
  readonly resource?: { readonly url?: string };
  readonly accepts: readonly Offer[];
  readonly extensions?: unknown;
}

/** What the receipt of a payment says. */
export interface Receipt {
  readonly success?: boolean;
  readonly network?: string;
  readonly transaction?: string;
  readonly payer?: string;
}

/** Networks that are paid on, the test network first: it is what a wallet of `svc init` has. */
const networks: Readonly<Record<string, { readonly chainId: number; readonly asset: string }>> = {
  'eip155:84532': { chainId: 84532, asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e' },
  'eip155:8453': { chainId: 8453, asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
};

export const networkNames = { 'base-sepolia': 'eip155:84532', base: 'eip155:8453' } as const;

export interface PayOptions {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** @default 100000, a tenth of a dollar */
  readonly capMicros?: number;
  /** @default the test network where it is offered, else the main one */
  readonly network?: keyof typeof networkNames | undefined;
  /** Makes the headers of identity anew for each of the two requests. */
  readonly identity?: (url: URL) => Promise<Readonly<Record<string, string>>>;
}

export interface Paid {
  readonly response: Response;
  /** Undefined when nothing had to be paid. */
  readonly offer?: Offer;
  readonly payer?: string;
  readonly receipt?: Receipt;
}

/**
 * Sends a request and, when it is answered by a price, sends it again with a signed payment.
 *
 * @throws the gateway's refusal, PAYMENT_SETTLEMENT_FAILED, X402_PAYMENT_OUTCOME_AMBIGUOUS, SPEND_CAP_EXCEEDED
 */
export async function payFor(cli: Cli, url: URL, options: PayOptions): Promise<Paid> {
  const { method, body, identity } = options;
  const attempt = `pat_${randomBytes(16).toString('hex')}`;
  const request = async (payment: Readonly<Record<string, string>>): Promise<RequestInit> => ({
    method,
    redirect: 'manual',
    headers: { ...options.headers, ...(await identity?.(url)), 'x-svc-payment-attempt-id': attempt, ...payment },
    ...(body === undefined ? {} : { body }),
  });
  const asked = await fetchUrl(cli, url, await request({}));
  if (asked.status !== 402) return { response: asked };
  const header = asked.headers.get('payment-required');
  const refusal = await refusalOf(asked);
  if (header === null) throw refusal;
  const challenge = readChallenge(header);
  if (challenge.resource?.url !== undefined && challenge.resource.url !== url.href)
    throw local('PAYMENT_SETTLEMENT_FAILED', 'The price is asked for another address than the one requested.', {
      details: { requested: url.href, priced: challenge.resource.url },
    });
  const wallet = await activeWallet(cli);
  const offer = chooseOffer(challenge.accepts, options);
  const proof = proofOf(wallet, challenge, offer);
  let response: Response;
  try {
    response = await fetchUrl(cli, url, await request(proof));
  } catch (error) {
    throw error instanceof Failure ? ambiguous(error.message) : error;
  }
  if (!response.ok) {
    const refused = await refusalOf(response);
    // A payment that was not taken is refused as such; anything else leaves open what became of it.
    if ([402, 409, 400, 403, 404, 410].includes(response.status)) throw refused;
    throw ambiguous(refused.message, refused.envelope);
  }
  const receipt = readReceipt(response);
  return { response, offer, payer: wallet.address, ...(receipt === undefined ? {} : { receipt }) };
}

const decoded = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64').toString('utf8'));

function readChallenge(header: string): Challenge {
  try {
    const challenge = decoded(header) as Challenge;
    if (Array.isArray(challenge.accepts)) return challenge;
  } catch {
    // Refused below.
  }
  throw local('PAYMENT_SETTLEMENT_FAILED', 'The price that was asked for cannot be read.');
}

function chooseOffer(accepts: readonly Offer[], { capMicros = usualCapMicros, network }: PayOptions): Offer {
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
    throw local('SPEND_CAP_EXCEEDED', `The price is ${offer.amount} micro-dollars, and the cap ${capMicros}.`, {
      hint: `Nothing was paid. --max-usd-micros ${offer.amount} allows it.`,
      details: { amount_usd_micros: Number(offer.amount), cap_usd_micros: capMicros, network: offer.network },
    });
  return offer;
}

function proofOf(wallet: Wallet, challenge: Challenge, offer: Offer): Record<string, string> {
  return { [challenge.x402Version === 1 ? 'x-payment' : 'payment-signature']: signedPayment(wallet, challenge, offer) };
}

function signedPayment(wallet: Wallet, { x402Version, resource, extensions }: Challenge, offer: Offer): string {
  const authorization = {
    from: wallet.address,
    to: offer.payTo,
    value: offer.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  };
  const { chainId } = networks[offer.network]!;
  const { name = 'USDC', version = '2' } = offer.extra ?? {};
  const signature = signTransfer(wallet.privateKey, { name, version, chainId, contract: offer.asset }, authorization);
  const payload = { signature, authorization };
  const payment =
    x402Version === 1
      ? { x402Version, scheme: offer.scheme, network: offer.network, payload }
      : { x402Version, resource, accepted: offer, payload, ...(extensions === undefined ? {} : { extensions }) };
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

function readReceipt(response: Response): Receipt | undefined {
  const header = response.headers.get('payment-response') ?? response.headers.get('x-payment-response');
  try {
    return header === null ? undefined : (decoded(header) as Receipt);
  } catch {
    return undefined;
  }
}

const ambiguous = (message: string, envelope: Readonly<Record<string, unknown>> = {}) =>
  new Failure({
    ...envelope,
    status: 'error',
    code: 'X402_PAYMENT_OUTCOME_AMBIGUOUS',
    message: `A payment was sent, and what became of it is not known: ${message}`,
    retryable: false,
    safe_to_retry: false,
    mutation_state: 'unknown',
    next_actions: [{ type: 'reconcile_payment', why: 'Look at the wallet on chain before paying again.' }],
    trace_id: envelope.trace_id ?? null,
  });
