import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

/** Objects of Stripe's API, as far as the gateway reads them. */
type Thing = Record<string, unknown> & { readonly id: string };

/** How long ago an event is said to have happened, and in whose account. */
export interface EventOptions {
  readonly created?: Date;
  readonly account?: string;
}

const nested = /^([^[]+)\[(.+)\]$/;

/** `a[b][0][c]=d` as Stripe's library writes it. */
function formOf(body: string): Record<string, unknown> {
  const form: Record<string, unknown> = {};
  for (const [key, value] of new URLSearchParams(body)) {
    const path = nested.test(key)
      ? [key.split('[')[0]!, ...[...key.matchAll(/\[([^\]]*)\]/g)].map(([, one]) => one!)]
      : [key];
    let at: Record<string, unknown> = form;
    for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>;
    at[path.at(-1)!] = value;
  }
  return form;
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/**
 * Speaks the wire of Stripe's API, as far as the gateway uses it, and signs events as Stripe does. The official library
 * drives it. It keeps no money: `pay`, `refund` and `dispute` do what payers and banks do.
 */
export async function startStripeServer() {
  const secretKey = 'sk_test_gateway0123456789';
  const webhookSecret = 'whsec_0123456789abcdef0123456789';
  const things = new Map<string, Thing>();
  const byKey = new Map<string, { readonly body: string; readonly answer: Thing }>();
  const requests: string[] = [];
  let faults: ('down' | 'garbage' | 'hang_up')[] = [];
  /** Set: a saved card is declined with this code. */
  let declines: string | undefined;
  let holding: Promise<void> | undefined;
  const signer = new Stripe(secretKey);
  const idOf = (prefix: string) => `${prefix}_test_${randomBytes(8).toString('hex')}`;

  const keep = (thing: Thing): Thing => {
    things.set(thing.id, thing);
    return thing;
  };
  const get = (id: string): Thing => things.get(id)!;
  const change = (id: string, more: object): Thing => keep({ ...get(id), ...more });

  function createSession(form: Record<string, unknown>): Thing {
    const items = form.line_items as Record<
      string,
      { quantity: string; price_data: { unit_amount: string; currency: string } }
    >;
    const { quantity, price_data } = items['0']!;
    const id = idOf('cs');
    const intentData = (form.payment_intent_data ?? {}) as Record<string, unknown>;
    return keep({
      id,
      object: 'checkout.session',
      client_reference_id: form.client_reference_id ?? null,
      metadata: form.metadata ?? {},
      mode: form.mode,
      amount_total: Number(price_data.unit_amount) * Number(quantity),
      currency: price_data.currency,
      livemode: false,
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: null,
      customer: form.customer ?? null,
      success_url: form.success_url,
      cancel_url: form.cancel_url,
      url: `https://checkout.stripe.test/c/pay/${id}`,
      intent_metadata: intentData.metadata ?? {},
      setup_future_usage: intentData.setup_future_usage ?? null,
      creates_customer: form.customer_creation === 'always',
    });
  }

  function createIntent(form: Record<string, unknown>): Thing {
    const intent: Thing = {
      id: idOf('pi'),
      object: 'payment_intent',
      amount: Number(form.amount),
      currency: form.currency,
      livemode: false,
      customer: form.customer,
      metadata: form.metadata ?? {},
      payment_method: form.payment_method,
      setup_future_usage: null,
      status: declines === undefined ? 'succeeded' : 'requires_payment_method',
      last_payment_error: declines === undefined ? null : { code: 'card_declined', decline_code: declines },
    };
    return keep(intent);
  }

  const withMethod = (intent: Thing): Thing => ({
    ...intent,
    payment_method: things.get(intent.payment_method as string) ?? intent.payment_method ?? null,
  });
  const listOf = (object: string, intent: string | null) => ({
    object: 'list',
    has_more: false,
    url: `/v1/${object}s`,
    data: [...things.values()].filter((one) => one.object === object && one.payment_intent === intent).reverse(),
  });

  function answer(method: string, path: string, query: URLSearchParams, body: string, key: string | undefined) {
    if (method === 'POST') {
      const known = key === undefined ? undefined : byKey.get(key);
      if (known !== undefined && known.body !== body) return refuse(400, 'idempotency_error', 'keys differ');
      const made =
        known?.answer ?? (path === '/v1/checkout/sessions' ? createSession(formOf(body)) : createIntent(formOf(body)));
      if (key !== undefined) byKey.set(key, { body, answer: made });
      if (made.object === 'payment_intent' && made.last_payment_error !== null)
        return {
          status: 402,
          json: { error: { type: 'card_error', code: 'card_declined', decline_code: declines, payment_intent: made } },
        };
      return { status: 200, json: made };
    }
    if (path === '/v1/refunds') return { status: 200, json: listOf('refund', query.get('payment_intent')) };
    if (path === '/v1/disputes') return { status: 200, json: listOf('dispute', query.get('payment_intent')) };
    const found = things.get(path.split('/').at(-1)!);
    if (found === undefined) return refuse(404, 'invalid_request_error', 'No such object', 'resource_missing');
    if (found.object === 'payment_intent') return { status: 200, json: withMethod(found) };
    const intent = found.payment_intent === null ? null : withMethod(get(found.payment_intent as string));
    return { status: 200, json: { ...found, payment_intent: intent } };
  }
  const refuse = (status: number, type: string, message: string, code?: string) => ({
    status,
    json: { error: { type, message, ...(code === undefined ? {} : { code }) } },
  });

  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const { pathname, searchParams } = new URL(request.url!, 'http://stripe');
    requests.push(`${request.method} ${pathname}`);
    await holding;
    const fault = faults.shift();
    if (fault === 'hang_up') return void request.socket.destroy();
    if (fault === 'down') return void response.writeHead(503, { 'stripe-should-retry': 'false' }).end('{}');
    if (fault === 'garbage') return void response.writeHead(200).end('<html>');
    const isKnown = request.headers.authorization === `Bearer ${secretKey}`;
    const { status, json } = isKnown
      ? answer(request.method!, pathname, searchParams, body, request.headers['idempotency-key'] as string | undefined)
      : refuse(401, 'invalid_request_error', 'Invalid API Key');
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1' }).end(JSON.stringify(json));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const sessionOf = (topupId: string): Thing =>
    [...things.values()].find((one) => one.object === 'checkout.session' && one.client_reference_id === topupId)!;

  return {
    url,
    env: { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: url },
    webhookSecret,
    requests,
    things,
    sessionOf,
    change,
    /** What the next requests meet, one each. */
    fail: (...next: typeof faults) => {
      faults = next;
    },
    decline: (code: string | undefined) => {
      declines = code;
    },
    /** Answers nothing until the returned function is called. */
    hold() {
      let release: () => void = () => {};
      holding = new Promise((go) => {
        release = go;
      });
      return () => {
        holding = undefined;
        release();
      };
    },
    /** The payer fills in the page. @param how `processing`: the money comes later, or does not */
    pay(topupId: string, how: 'paid' | 'processing' = 'paid'): Thing {
      const session = sessionOf(topupId);
      const customer = session.customer ?? (session.creates_customer ? idOf('cus') : null);
      const method = keep({
        id: idOf('pm'),
        object: 'payment_method',
        type: 'card',
        card: { brand: 'visa', last4: '4242' },
      });
      const intent = keep({
        id: idOf('pi'),
        object: 'payment_intent',
        amount: session.amount_total,
        currency: session.currency,
        livemode: false,
        customer,
        metadata: session.intent_metadata,
        payment_method: method.id,
        setup_future_usage: session.setup_future_usage,
        status: how === 'paid' ? 'succeeded' : 'processing',
        last_payment_error: null,
      });
      return change(session.id, {
        status: 'complete',
        payment_status: how === 'paid' ? 'paid' : 'unpaid',
        payment_intent: intent.id,
        customer,
      });
    },
    /** What was processing comes to its end. */
    finish(topupId: string, how: 'paid' | 'failed'): Thing {
      const session = sessionOf(topupId);
      change(session.payment_intent as string, {
        status: how === 'paid' ? 'succeeded' : 'requires_payment_method',
        last_payment_error: how === 'paid' ? null : { code: 'insufficient_funds' },
      });
      return change(session.id, { payment_status: how === 'paid' ? 'paid' : 'unpaid' });
    },
    /** @param cents a refund of its own, not the sum */
    refund: (topupId: string, cents: number): Thing =>
      keep({
        id: idOf('re'),
        object: 'refund',
        payment_intent: sessionOf(topupId).payment_intent,
        amount: cents,
        status: 'succeeded',
      }),
    dispute: (topupId: string, cents: number): Thing =>
      keep({
        id: idOf('dp'),
        object: 'dispute',
        payment_intent: sessionOf(topupId).payment_intent,
        amount: cents,
        status: 'needs_response',
      }),
    /** An event as Stripe sends it: the bytes, and the header that signs them. */
    event(type: string, object: Thing, { created = new Date(), account }: EventOptions = {}, secret = webhookSecret) {
      const body = JSON.stringify({
        id: idOf('evt'),
        object: 'event',
        type,
        created: Math.floor(created.getTime() / 1000),
        livemode: false,
        ...(account === undefined ? {} : { account }),
        data: { object },
      });
      return { body, signature: signer.webhooks.generateTestHeaderString({ payload: body, secret }) };
    },
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

export type StripeServer = Awaited<ReturnType<typeof startStripeServer>>;
