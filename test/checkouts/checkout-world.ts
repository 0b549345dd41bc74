import { expect } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { type Service, type ServiceOptions, startService } from '../helpers/service.ts';
import { type EventOptions, type StripeServer, startStripeServer } from '../helpers/stripe-server.ts';

/** A gateway that takes cards from an emulated Stripe. */
export async function startCheckoutWorld(options: ServiceOptions = {}) {
  const stripe = await startStripeServer();
  const service = await startService({ ...options, env: { SVC_LEASES: 'on', ...stripe.env, ...options.env } });
  const stop = async () => {
    await service.stop();
    await stripe.close();
  };
  return { ...worldOf(service, stripe), stop };
}

const worldOf = (service: Service, stripe: StripeServer) => {
  const call = documentedCalls(service);
  const checkout = (actor: Actor, orgId: string, body: object, headers: Record<string, string> = {}) =>
    call(actor, 'POST', `/orgs/v1/${orgId}/checkouts`, { body, headers });
  const read = async (actor: Actor, orgId: string, topupId: string) =>
    (await call(actor, 'GET', `/orgs/v1/${orgId}/checkouts/${topupId}`)).body;
  const billing = async (actor: Actor, orgId: string) => (await call(actor, 'GET', `/orgs/v1/${orgId}/billing`)).body;
  const send = (body: string, signature: string, url = service.url) =>
    fetch(`${url}/webhooks/stripe`, { method: 'POST', body, headers: { 'stripe-signature': signature } });
  return {
    service,
    stripe,
    call,
    checkout,
    read,
    billing,
    send,
    history: async (actor: Actor, orgId: string) =>
      (await call(actor, 'GET', `/orgs/v1/${orgId}/billing/history?limit=200`)).body.entries as {
        kind: string;
        direction: string;
        amount_usd_micros: number;
        balance_after_available: number;
        reference_id: string | null;
      }[],
    /** Tells the gateway of something, as Stripe does. */
    async tell(type: string, object: Parameters<StripeServer['event']>[1], options?: EventOptions) {
      const { body, signature } = stripe.event(type, object, options);
      const answer = await send(body, signature);
      expect(answer.status).toBe(200);
    },
    /** Waits until a checkout shows a state. */
    until: async (actor: Actor, orgId: string, topupId: string, status: string) => {
      await expect.poll(async () => (await read(actor, orgId, topupId)).status).toBe(status);
      return read(actor, orgId, topupId);
    },
  };
};

export type CheckoutWorld = Awaited<ReturnType<typeof startCheckoutWorld>>;
