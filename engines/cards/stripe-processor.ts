import type Stripe from 'stripe';
import { createGuardedFetch } from '../../core/guarded-fetch.ts';
import {
  type CardEvent,
  type CardPayment,
  type CardPaymentState,
  type CardProcessor,
  CardsUnavailable,
  type SavedCard,
  type SessionWanted,
} from './card-processor.ts';

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Where its API is. @default https://api.stripe.com */
  readonly apiUrl: string | undefined;
}

/** How long one answer may take, in milliseconds, and how often a request is repeated that may be. */
const timeoutMs = 15_000;
const retriesMax = 2;

/** Disputes of which the payer's bank has the money, or may keep it. */
const heldDisputes: ReadonlySet<string> = new Set(['needs_response', 'under_review', 'lost']);

/** Takes payments by Stripe Checkout, through the official library. */
export function createStripeProcessor({ secretKey, webhookSecret, apiUrl }: StripeSettings): CardProcessor {
  let opened: Promise<Stripe> | undefined;
  const stripe = (): Promise<Stripe> => (opened ??= open(secretKey, apiUrl));

  async function asked<Answer>(ask: (client: Stripe) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(await stripe());
    } catch (error) {
      throw new CardsUnavailable(error);
    }
  }

  /** @returns undefined for what is not there, or somebody else's */
  async function found<Answer>(ask: (client: Stripe) => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await asked(async (client) => whole(await ask(client)));
    } catch (error) {
      if (isMissing((error as CardsUnavailable).cause)) return undefined;
      throw error;
    }
  }

  /** What went back of a payment, whatever the order of what is told of it. */
  async function centsBackOf(paymentIntent: string): Promise<number> {
    return asked(async (client) => {
      let cents = 0;
      for await (const { amount, status } of client.refunds.list({ payment_intent: paymentIntent, limit: 100 }))
        if (status !== 'failed' && status !== 'canceled') cents += amount;
      for await (const { amount, status } of client.disputes.list({ payment_intent: paymentIntent, limit: 100 }))
        if (heldDisputes.has(status)) cents += amount;
      return cents;
    });
  }

  async function paymentOf(intent: Stripe.PaymentIntent): Promise<CardPayment> {
    const state = stateOf(intent);
    return {
      topupId: intent.metadata.topup_id ?? null,
      cents: intent.amount,
      currency: intent.currency,
      live: intent.livemode,
      state,
      failure: state === 'failed' ? failureOf(intent) : null,
      paymentIntentId: intent.id,
      savedCard: state === 'paid' ? savedCardOf(intent) : null,
      centsBack: state === 'paid' ? Math.min(intent.amount, await centsBackOf(intent.id)) : 0,
    };
  }

  return {
    live: !/^[a-z]+_test_/.test(secretKey),
    createSession: (wanted) =>
      asked(async (client) => {
        const session = await client.checkout.sessions.create(sessionOf(wanted), { idempotencyKey: wanted.topupId });
        const { id, url } = whole(session);
        if (url === null) throw new Error('The session has no page.');
        return { sessionId: id, url };
      }),
    async readSession(sessionId) {
      const session = await found((client) =>
        client.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent.payment_method'] }),
      );
      if (session === undefined) return undefined;
      const intent = session.payment_intent;
      const payment = intent === null || typeof intent === 'string' ? undefined : await paymentOf(intent);
      const isPaid = session.status === 'complete' && session.payment_status === 'paid' && payment?.state === 'paid';
      return {
        topupId: session.client_reference_id,
        cents: session.amount_total ?? 0,
        currency: session.currency ?? '',
        live: session.livemode,
        state: isPaid ? 'paid' : sessionStateOf(session, payment),
        failure: payment?.failure ?? null,
        paymentIntentId: payment?.paymentIntentId ?? null,
        savedCard: payment?.savedCard ?? null,
        centsBack: payment?.centsBack ?? 0,
      };
    },
    async readPayment(paymentIntentId) {
      const intent = await found((client) =>
        client.paymentIntents.retrieve(paymentIntentId, { expand: ['payment_method'] }),
      );
      return intent === undefined ? undefined : paymentOf(intent);
    },
    async charge({ topupId, cents, description, customerId, paymentMethodId }) {
      try {
        return await paymentOf(
          await asked(async (client) =>
            whole(
              await client.paymentIntents.create(
                {
                  amount: cents,
                  currency: 'usd',
                  customer: customerId,
                  payment_method: paymentMethodId,
                  off_session: true,
                  confirm: true,
                  description,
                  metadata: { topup_id: topupId },
                },
                { idempotencyKey: topupId },
              ),
            ),
          ),
        );
      } catch (error) {
        const declined = declinedOf((error as CardsUnavailable).cause);
        if (declined === undefined) throw error;
        return { ...(await paymentOf(declined)), state: 'failed', failure: failureOf(declined) };
      }
    },
    async readEvent(body, signature) {
      try {
        return eventOf((await stripe()).webhooks.constructEvent(body, signature, webhookSecret));
      } catch {
        return undefined;
      }
    },
  };
}

/** The library is loaded when it is first needed: it takes a tenth of a second. */
async function open(secretKey: string, apiUrl: string | undefined): Promise<Stripe> {
  const { default: Client } = await import('stripe');
  const at = apiUrl === undefined ? undefined : new URL(apiUrl);
  const guarded = createGuardedFetch({
    named: at === undefined ? [] : [at.origin],
    timeoutMs,
    bytesMax: 4 * 1024 * 1024,
  });
  return new Client(secretKey, {
    telemetry: false,
    maxNetworkRetries: retriesMax,
    timeout: timeoutMs,
    httpClient: Client.createFetchHttpClient((url, init = {}) =>
      guarded(String(url), {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        body: init.body as string | undefined,
        signal: init.signal ?? undefined,
      }),
    ),
    ...(at === undefined
      ? {}
      : {
          host: at.hostname,
          port: Number(at.port) || (at.protocol === 'https:' ? 443 : 80),
          protocol: at.protocol === 'https:' ? ('https' as const) : ('http' as const),
        }),
  });
}

/** Something between may answer in the provider's place, without saying that anything is wrong. */
function whole<Answer>(answer: Answer): Answer {
  const { object, id } = (answer ?? {}) as { readonly object?: unknown; readonly id?: unknown };
  if ((object === 'checkout.session' || object === 'payment_intent') && typeof id === 'string') return answer;
  throw new Error('The answer is not the provider’s.');
}

const sessionOf = ({ topupId, cents, description, successUrl, cancelUrl, customerId, savesCard }: SessionWanted) =>
  ({
    mode: 'payment',
    client_reference_id: topupId,
    metadata: { topup_id: topupId },
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: cents, product_data: { name: description } } },
    ],
    success_url: successUrl,
    cancel_url: cancelUrl,
    ...(customerId !== null ? { customer: customerId } : savesCard ? { customer_creation: 'always' } : {}),
    payment_intent_data: {
      metadata: { topup_id: topupId },
      ...(savesCard ? { setup_future_usage: 'off_session' } : {}),
    },
  }) satisfies Stripe.Checkout.SessionCreateParams;

const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'resource_missing';

/** The payment that a card's bank refused. */
function declinedOf(error: unknown): Stripe.PaymentIntent | undefined {
  const { type, payment_intent: intent } = (error ?? {}) as { type?: string; payment_intent?: Stripe.PaymentIntent };
  return type === 'StripeCardError' ? intent : undefined;
}

function stateOf({ status }: Stripe.PaymentIntent): CardPaymentState {
  if (status === 'succeeded') return 'paid';
  if (status === 'processing' || status === 'requires_capture') return 'processing';
  return status === 'canceled' || status === 'requires_payment_method' ? 'failed' : 'open';
}

/** An open session may be tried again with another card; a complete one is over when its payment failed. */
function sessionStateOf({ status }: Stripe.Checkout.Session, payment: CardPayment | undefined): CardPaymentState {
  if (status === 'expired') return 'expired';
  if (status !== 'complete') return 'open';
  return payment?.state === 'failed' ? 'failed' : 'processing';
}

const failureOf = ({ last_payment_error: error }: Stripe.PaymentIntent): string =>
  (error?.decline_code ?? error?.code ?? 'canceled').replaceAll('_', ' ');

function savedCardOf({
  customer,
  payment_method: method,
  setup_future_usage: use,
}: Stripe.PaymentIntent): SavedCard | null {
  if (use !== 'off_session' || customer === null || method === null || typeof method === 'string') return null;
  const { brand, last4 } = method.card ?? {};
  return {
    customerId: typeof customer === 'string' ? customer : customer.id,
    paymentMethodId: method.id,
    label: brand === undefined || last4 === undefined ? method.type : `${brand} ${last4}`,
  };
}

/** The members of its object that lead to a checkout. */
interface Pointing {
  readonly id?: string;
  readonly object?: string;
  readonly client_reference_id?: string | null;
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly payment_intent?: string | { readonly id: string } | null;
}

function eventOf({ id, type, account, data }: Stripe.Event): CardEvent {
  const about = data.object as Pointing;
  const intent = about.object === 'payment_intent' ? about.id : about.payment_intent;
  return {
    id,
    type,
    foreignAccount: account ?? null,
    topupId: about.client_reference_id ?? about.metadata?.topup_id ?? null,
    sessionId: about.object === 'checkout.session' ? (about.id ?? null) : null,
    paymentIntentId: (typeof intent === 'string' ? intent : intent?.id) ?? null,
  };
}
