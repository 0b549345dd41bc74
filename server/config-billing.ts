import { z } from 'zod';
import type { StripeSettings } from '../engines/cards/stripe-processor.ts';
import type { LightningSettings } from '../engines/lightning/lightning.ts';
import { readNwcConnection } from '../engines/lightning/nwc-connection.ts';
import { parsed, urlOf, webUrl } from './config-values.ts';

/** How money comes in that buys balance, tiers and mail credits. */
export interface BillingConfig {
  /** Undefined: nothing is paid by card. */
  readonly stripe: StripeSettings | undefined;
  /** Undefined: nothing is paid by lightning. */
  readonly lightning: LightningSettings | undefined;
}

const secretText = () => parsed('without spaces', (value) => (/^[\x21-\x7e]{8,1024}$/.test(value) ? value : undefined));

/** Their part of the environment's schema. */
export const billingVariables = {
  STRIPE_SECRET_KEY: parsed('a secret key such as sk_live_…', (value) =>
    /^[sr]k_(live|test)_[A-Za-z0-9]{8,512}$/.test(value) ? value : undefined,
  ),
  STRIPE_WEBHOOK_SECRET: secretText(),
  STRIPE_API_URL: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  LND_URL: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  LND_MACAROON: parsed('hexadecimal digits', (value) => (/^([0-9a-f]{2}){8,1024}$/i.test(value) ? value : undefined)),
  NWC_URL: parsed('nostr+walletconnect://<public key>?relay=wss://…&secret=…', readNwcConnection),
  LIGHTNING_RATE_URL: parsed('a URL that begins with http:// or https://', (value) =>
    urlOf(value, 'http', 'https') === undefined ? undefined : value,
  ),
  LIGHTNING_USD_PER_BTC: parsed('a number of dollars above zero, such as 65000.50', (value) =>
    /^\d{1,9}(\.\d{1,6})?$/.test(value) && Number(value) > 0 ? value : undefined,
  ),
};

const billingEnvironment = z.object(billingVariables);
type BillingEnvironment = Partial<z.output<typeof billingEnvironment>>;

/** Their part of the documentation. */
export const billingDescriptions = {
  STRIPE_SECRET_KEY: {
    default: 'nothing is paid by card',
    description:
      'Secret key of a Stripe account. A key with `_test_` moves no money. It may be a restricted one, with rights to write checkout sessions and payment intents, and to read refunds, disputes and customers. Needs `STRIPE_WEBHOOK_SECRET`.',
    secret: true,
  },
  STRIPE_WEBHOOK_SECRET: {
    default: 'nothing is paid by card',
    description:
      'What the endpoint `/webhooks/stripe` of this gateway is signed with, `whsec_…`, as the dashboard of Stripe shows it.',
    secret: true,
  },
  STRIPE_API_URL: {
    default: '`https://api.stripe.com`',
    description: 'Where the API of Stripe is, for trials against something that speaks like it.',
    secret: false,
  },
  LND_URL: {
    default: 'nothing is paid by lightning',
    description:
      'REST interface of an LND node, such as `https://lnd.internal:8080`. `NODE_EXTRA_CA_CERTS` names the certificate that it made for itself. Needs `LND_MACAROON` and a rate.',
    secret: false,
  },
  LND_MACAROON: {
    default: 'nothing is paid by lightning',
    description: 'Macaroon of that node with the rights `invoices:read` and `invoices:write`, in hexadecimal digits.',
    secret: true,
  },
  NWC_URL: {
    default: 'nothing is paid by lightning',
    description:
      'Connection to a wallet by Nostr Wallet Connect, in the place of an LND node: `nostr+walletconnect://…`, with the rights `make_invoice` and `lookup_invoice` alone. Needs a rate.',
    secret: true,
  },
  LIGHTNING_RATE_URL: {
    default: 'none, so `LIGHTNING_USD_PER_BTC` has to be set',
    description:
      'What a bitcoin costs in dollars: a page that answers `{"data":{"amount":"65000.50","currency":"USD"}}` or `{"bitcoin":{"usd":65000.5}}`.',
    secret: true,
  },
  LIGHTNING_USD_PER_BTC: {
    default: 'as `LIGHTNING_RATE_URL` says',
    description: 'What a bitcoin costs in dollars, unchanged, for test networks.',
    secret: false,
  },
} as const;

export const billingOf = (values: BillingEnvironment): BillingConfig => ({
  stripe:
    values.STRIPE_SECRET_KEY === undefined || values.STRIPE_WEBHOOK_SECRET === undefined
      ? undefined
      : {
          secretKey: values.STRIPE_SECRET_KEY,
          webhookSecret: values.STRIPE_WEBHOOK_SECRET,
          apiUrl: values.STRIPE_API_URL,
        },
  lightning: lightningOf(values),
});

function lightningOf({
  LND_URL: url,
  LND_MACAROON: macaroon,
  NWC_URL: nwc,
  LIGHTNING_RATE_URL: rateUrl,
  LIGHTNING_USD_PER_BTC: fixed = '',
}: BillingEnvironment): LightningSettings | undefined {
  const rate = rateUrl === undefined ? { fixed } : { url: rateUrl };
  if (nwc !== undefined) return { nwc, rate };
  return url === undefined || macaroon === undefined ? undefined : { url, macaroon, rate };
}

const needs: readonly (readonly [keyof BillingEnvironment, keyof BillingEnvironment])[] = [
  ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  ['STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'],
  ['STRIPE_API_URL', 'STRIPE_SECRET_KEY'],
  ['LND_URL', 'LND_MACAROON'],
  ['LND_MACAROON', 'LND_URL'],
];

/** What of them cannot go together, a sentence each. */
export function billingFaults(has: (name: keyof BillingEnvironment) => boolean): string[] {
  const faults = needs.flatMap(([name, other]) =>
    has(name) && !has(other) ? [`${other} must be set when ${name} is.`] : [],
  );
  const hasNode = has('LND_URL') || has('NWC_URL');
  if (has('LND_URL') && has('NWC_URL')) faults.push('LND_URL and NWC_URL must not both be set.');
  for (const name of ['LIGHTNING_RATE_URL', 'LIGHTNING_USD_PER_BTC'] as const)
    if (has(name) && !hasNode) faults.push(`LND_URL or NWC_URL must be set when ${name} is.`);
  if (hasNode && has('LIGHTNING_RATE_URL') === has('LIGHTNING_USD_PER_BTC'))
    faults.push('LIGHTNING_RATE_URL or LIGHTNING_USD_PER_BTC must be set when LND_URL or NWC_URL is, and not both.');
  return faults;
}
