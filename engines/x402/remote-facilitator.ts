import { type Facilitator, payloadOf, reasonOr } from './facilitator.ts';
import { type Hex, type NetworkName, networks } from './networks.ts';
import { PaymentsUnavailable } from './refusals.ts';
import { requirementV2 } from './terms.ts';

interface RemoteFacilitatorOptions {
  /** `/verify`, `/settle` and `/supported` lie below it. Credentials and a query in it are sent along, and never told. */
  readonly url: string;
  /** How long a request may take, in milliseconds. */
  readonly requestMs: number;
}

/** Largest answer that is read. */
const answerBytesMax = 64 * 1024;
/** How long a facilitator's word on what it supports holds, in milliseconds. */
const supportedForMs = 600_000;

type Members = Readonly<Record<string, unknown>>;

/** How a request ended. */
type Reply =
  | { readonly status: number; readonly body: Members }
  /** It never left: nobody was there to take it. */
  | 'not-sent'
  /** It left, and no answer came that could be read. */
  | 'no-answer';

/** A facilitator somewhere else, by HTTP. Contract 00, section 1.11. */
export function createRemoteFacilitator({ url, requestMs }: RemoteFacilitatorOptions): Facilitator & {
  /** Whether it answers. */
  readonly isAlive: () => Promise<boolean>;
} {
  const { username, password } = new URL(url);
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
  const headers = { 'content-type': 'application/json', ...(username === '' ? {} : { authorization }) };

  async function ask(method: 'GET' | 'POST', path: string, body?: object, ms = requestMs): Promise<Reply> {
    const target = new URL(url);
    target.username = target.password = '';
    target.pathname = `${target.pathname.replace(/\/+$/, '')}/${path}`;
    try {
      const response = await fetch(target, {
        method,
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(Math.max(Math.ceil(ms), 1)),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await readMembers(response) };
    } catch (error) {
      return neverLeft(error) ? 'not-sent' : 'no-answer';
    }
  }

  let supported: { readonly networks: ReadonlySet<unknown>; readonly at: number } | undefined;
  async function supportedNetworks(): Promise<ReadonlySet<unknown>> {
    if (supported !== undefined && performance.now() - supported.at < supportedForMs) return supported.networks;
    const reply = await ask('GET', 'supported');
    if (typeof reply === 'string' || reply.status !== 200 || !Array.isArray(reply.body.kinds))
      throw new PaymentsUnavailable('The facilitator does not tell what it supports.');
    const kinds = (reply.body.kinds as readonly unknown[]).map((kind) => (kind ?? {}) as Members);
    const takenOn = kinds
      .filter(({ x402Version, scheme }) => x402Version === 2 && scheme === 'exact')
      .map(({ network }) => network);
    supported = { networks: new Set(takenOn), at: performance.now() };
    return supported.networks;
  }

  async function ready(network: NetworkName): Promise<void> {
    if (!(await supportedNetworks()).has(networks[network].caip2))
      throw new PaymentsUnavailable(`The facilitator does not take payments on ${network}.`);
  }

  const request = (payment: Parameters<Facilitator['verify']>[0]) => ({
    x402Version: 2,
    paymentPayload: payloadOf(payment),
    paymentRequirements: requirementV2(payment.terms),
  });

  return {
    isAlive: () =>
      supportedNetworks().then(
        () => true,
        () => false,
      ),
    async verify(payment) {
      await ready(payment.terms.network);
      const reply = await ask('POST', 'verify', request(payment));
      // Some say what is wrong with a payment by a status of their own.
      if (typeof reply === 'string' || reply.status >= 500 || typeof reply.body.isValid !== 'boolean')
        throw new PaymentsUnavailable('The facilitator did not verify the payment.');
      return reply.status === 200 && reply.body.isValid
        ? undefined
        : reasonOr(reply.body.invalidReason, 'unexpected_verify_error');
    },
    async settle(payment, announce, until) {
      const reply = await ask('POST', 'settle', request(payment), until - performance.now());
      if (reply === 'not-sent') throw new PaymentsUnavailable('The facilitator cannot be reached.');
      if (reply === 'no-answer') return { state: 'unknown' };
      const { status, body } = reply;
      const transaction = isHash(body.transaction) ? body.transaction : undefined;
      if (transaction !== undefined) await announce(transaction);
      if (typeof body.success !== 'boolean') {
        // Refused before it was looked at; anything else may have happened half way.
        if (status >= 400 && status < 500 && status !== 408)
          throw new PaymentsUnavailable('The facilitator does not take requests to settle.');
        return { state: 'unknown', transaction };
      }
      if (status === 200 && body.success)
        return transaction === undefined ? { state: 'unknown' } : { state: 'settled', transaction };
      if (status >= 500 || body.success || body.errorReason === 'settlement_pending')
        return { state: 'unknown', transaction };
      return { state: 'refused', reason: reasonOr(body.errorReason, 'unexpected_settle_error'), transaction };
    },
  };
}

const isHash = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value);

/** An answer's JSON object; an empty one for anything else, however large. */
async function readMembers(response: Response): Promise<Members> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    if (length > answerBytesMax) return {};
    parts.push(part);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString());
    return typeof value === 'object' && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}

/** Whether a request failed before anything of it can have arrived: there was no connection to send it on. */
function neverLeft(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    const code = 'code' in one ? String(one.code) : '';
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_)/.test(code))
      return true;
  }
  return false;
}
