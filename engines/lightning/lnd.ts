import { z } from 'zod';
import { createGuardedFetch, type GuardedFetch } from '../../core/guarded-fetch.ts';
import { hashOf, type Lightning, type LightningSettings, LightningUnavailable, provenPayment } from './lightning.ts';
import { createRateSource } from './rate-source.ts';

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
/** LND writes numbers of 64 bits as text. */
const whole = z.union([z.string().regex(/^\d{1,18}$/), z.int().nonnegative()]).transform(BigInt);

const invoiceWire = z.object({
  r_hash: bytes,
  r_preimage: bytes,
  payment_request: z.string().regex(/^ln[a-z0-9]{20,4096}$/),
  state: z.enum(['OPEN', 'SETTLED', 'CANCELED', 'ACCEPTED']),
  value: whole,
  amt_paid_msat: whole.default(0n),
  creation_date: whole,
  expiry: whole,
  settle_date: whole.default(0n),
});

/** A node of LND. */
type LndSettings = Extract<LightningSettings, { readonly macaroon: string }>;

/** Speaks to the REST interface of an LND node. Nothing that it says is believed which the hash does not prove. */
export function createLnd({ url, macaroon, rate }: LndSettings): Lightning {
  const guarded = createGuardedFetch({ named: [new URL(url).origin], timeoutMs: 10_000 });
  const base = url.replace(/\/$/, '');
  const ask = (path: string, body?: object) => answerOf(guarded, `${base}${path}`, macaroon, body);

  async function read(paymentHash: string): Promise<z.output<typeof invoiceWire>> {
    const { status, json } = await ask(`/v1/invoice/${paymentHash}`);
    const { data: invoice } = invoiceWire.safeParse(json);
    if (status !== 200 || invoice === undefined)
      throw new LightningUnavailable(`LND answered a look-up with ${status}.`);
    if (invoice.r_hash.toString('hex') !== paymentHash) throw new LightningUnavailable('LND answered another invoice.');
    return invoice;
  }

  return {
    rate: createRateSource(rate),
    async createInvoice({ preimage, sats, memo, expirySeconds }) {
      const paymentHash = hashOf(preimage);
      const { status } = await ask('/v1/invoices', {
        r_preimage: preimage.toString('base64'),
        value: sats.toString(),
        memo,
        expiry: String(expirySeconds),
      });
      // An invoice that an attempt before this one made is there already: whichever it was is read.
      const invoice = await read(paymentHash).catch((error: unknown) => {
        throw status === 200 ? error : new LightningUnavailable(`LND refused an invoice with ${status}.`);
      });
      if (invoice.value !== sats) throw new LightningUnavailable('LND made an invoice of another amount.');
      const expiresAt = new Date(Number(invoice.creation_date + invoice.expiry) * 1000);
      return { bolt11: invoice.payment_request, paymentHash, expiresAt };
    },
    async lookup(asked) {
      const { state, r_preimage: preimage, amt_paid_msat: paidMsat, settle_date: at } = await read(asked.paymentHash);
      if (state !== 'SETTLED') return null;
      return provenPayment(asked, { preimage, paidMsat, settledAt: Number(at) });
    },
  };
}

async function answerOf(guarded: GuardedFetch, url: string, macaroon: string, body: object | undefined) {
  try {
    const response = await guarded(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'grpc-metadata-macaroon': macaroon, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json().catch(() => undefined)) as unknown };
  } catch (cause) {
    throw new LightningUnavailable('The lightning node cannot be asked.', { cause });
  }
}
