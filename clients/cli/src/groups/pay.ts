import { connect } from '../../../sdk/src/connection.ts';
import { type PaymentOption, settlementOf } from '../../../sdk/src/payment.ts';
import type { Command, Group } from '../command.ts';
import { badUsage, local } from '../failure.ts';
import { readText } from '../input.ts';
import { failed } from '../net/gateway.ts';
import { networkNames, walletPayer } from '../net/x402.ts';
import { capFlag } from '../operation-command.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const pay: Command = {
  words: 'pay',
  summary: 'Send a request, and pay from the wallet in use if it is answered by a price.',
  about: [
    'The price may be anything up to --max-usd-micros; above that nothing is paid. Only the URL itself is paid, never where it redirects to. No other credential is sent.',
  ],
  positionals: [{ name: 'url', about: 'What is bought: https://…, or http:// on this machine.' }],
  flags: [
    { name: 'method', type: 'string', choices: methods, about: 'GET unless told, and POST where there is a body.' },
    {
      name: 'body',
      type: 'string',
      placeholder: 'text',
      about: 'Body of the request, JSON as a rule. @file and - read it.',
    },
    {
      name: 'network',
      type: 'string',
      choices: Object.keys(networkNames),
      about: 'Where to pay; test money first unless told.',
    },
    {
      name: 'idempotency-key',
      type: 'string',
      placeholder: 'key',
      about: 'Sent along, so that the seller gives the same answer again.',
    },
    capFlag,
  ],
  examples: [
    ['Up to ten cents', 'pay https://gateway.example/api/x402-audit?url=https://example.com'],
    ['Up to a dollar', 'pay https://gateway.example/api/x402-pro?url=https://example.com --max-usd-micros 1000000'],
  ],
  async run({ cli, positionals, flags }) {
    const url = URL.parse(positionals.url!);
    if (url === null || !isPayable(url))
      throw badUsage('<url> begins with https://, or with http:// on this machine.', { field: 'url' });
    const text = flags.text('body');
    const body =
      text === '-'
        ? await readText(cli, '-')
        : text?.startsWith('@') === true
          ? await readText(cli, text.slice(1))
          : text;
    const key = flags.text('idempotency-key');
    let offer: PaymentOption | undefined;
    let payer: string | undefined;
    let status = 0;
    const gateway = connect({ baseUrl: url.origin, retry: { times: 0 } });
    try {
      const { headers, text: answer } = await gateway.send({
        method: flags.text('method') ?? (body === undefined ? 'GET' : 'POST'),
        path: url.pathname,
        query: url.search,
        isChange: true,
        signal: cli.signal,
        ...(body === undefined ? {} : { body }),
        ...(key === undefined ? {} : { idempotencyKey: key }),
        payer: walletPayer(cli, {
          capMicros: flags.number('max-usd-micros'),
          network: flags.text('network') as keyof typeof networkNames | undefined,
          onOffer: (chosen, address) => {
            offer = chosen;
            payer = address;
          },
        }),
        onResponse: (response) => {
          status = response.status;
        },
      });
      return result({ status, url, headers, body: jsonOrText(answer), offer, payer });
    } catch (error) {
      throw failed(cli, error, { isChange: true });
    }
  },
};

const isPayable = ({ protocol, hostname }: URL) =>
  protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));

interface Bought {
  readonly status: number;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
  readonly offer: PaymentOption | undefined;
  readonly payer: string | undefined;
}

/** The result in the format of tools and commands. Contract 04, section 1.3. */
function result({ status, url, headers, body, offer, payer }: Bought) {
  const settled = settlementOf(headers);
  const told = (name: string) => headers.get(`x-svc-payment-${name}`);
  const deduplicated =
    told('deduplicated') === 'true' || (body as { deduplicated?: unknown } | null)?.deduplicated === true;
  const envelope = { schema_version: 'x402-commerce-result.v1', http_status: status, body };
  if (offer === undefined) return { ...envelope, payment: null, outcome: 'not_paid', replay: false, next_actions: [] };
  if (settled?.success !== true && !deduplicated)
    throw local(
      'PAYMENT_SETTLEMENT_FAILED',
      'The answer came, but no receipt with it: whether the payment was settled is not known.',
      {
        // The payment may have been made, so the body is kept in the failure.
        details: { http_status: status, amount_usd_micros: Number(offer.amount), network: offer.network, body },
        mutationState: 'unknown',
        nextActions: [{ type: 'reconcile_payment', why: 'Look at the wallet on chain before paying again.' }],
      },
    );
  const none = { status: 'absent' };
  return {
    ...envelope,
    payment: {
      payment_id: told('id'),
      amount_usd_micros: Number(offer.amount),
      asset: offer.asset,
      network: offer.network,
      payer: settled?.payer ?? payer,
      pay_to: offer.payTo,
      transaction: settled?.transaction ?? null,
      resource_url: url.href,
      settlement: { status: settled?.success === true ? 'settled' : 'replayed' },
      funds_moved: told('funds-moved') ?? (settled?.success === true ? 'true' : 'unknown'),
      deduplicated,
      delivery: { status: 'fulfilled', replay: told('delivery') === 'replay' || deduplicated },
      offer: none,
      merchant_receipt: none,
      signer_relationship: null,
      policy: { require_receipt: false, status: 'not_required' },
      evidence: null,
    },
    outcome: 'paid',
    replay: deduplicated,
    next_actions: [],
  };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export const group: Group = { name: 'pay', about: [pay.summary], commands: [pay] };
