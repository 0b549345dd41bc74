import { z } from 'zod';
import { createRelays } from '../relay/relay-client.ts';
import { type SignedEvent, signEvent } from '../relay/signed-event.ts';
import { type Lightning, type LightningSettings, LightningUnavailable, provenPayment } from './lightning.ts';
import type { NwcConnection } from './nwc-connection.ts';
import { createRateSource } from './rate-source.ts';

/** A wallet that is asked by way of relays. */
type NwcSettings = Extract<LightningSettings, { readonly nwc: NwcConnection }>;

/** Kinds of events, as NIP-47 numbers them. */
const kinds = { info: 13_194, request: 23_194, response: 23_195 };

/** How long a request holds, in seconds: a wallet that comes to it later leaves it. */
const expirySeconds = 30;

const hex = z.string().regex(/^[0-9a-f]{64}$/);

const answerWire = z.object({
  result_type: z.string(),
  error: z.object({ code: z.string().max(100) }).nullish(),
  result: z.unknown(),
});

const invoiceWire = z.object({
  invoice: z.string().regex(/^ln[a-z0-9]{20,4096}$/),
  payment_hash: hex,
  /** In thousandths of a sat. */
  amount: z.int().nonnegative(),
  expires_at: z.int().positive().nullish(),
});

const lookupWire = z.object({
  payment_hash: hex,
  state: z.string().nullish(),
  amount: z.int().nonnegative(),
  preimage: z.string().nullish(),
  settled_at: z.int().nonnegative().max(8_640_000_000_000).nullish(),
});

/**
 * Speaks to a wallet by Nostr Wallet Connect (NIP-47), through the relays that its connection names. Nothing that it says is believed
 * which the hash does not prove. A wallet chooses the preimage itself, so that each call makes another invoice.
 */
export function createNwc({ nwc, rate }: NwcSettings): Lightning {
  const ask = createAsk(nwc);
  return {
    rate: createRateSource(rate),
    async createInvoice({ sats, memo, expirySeconds: expiry }) {
      const madeAt = Date.now();
      const given = { amount: Number(sats * 1000n), description: memo, expiry };
      const { data: made } = invoiceWire.safeParse(await ask('make_invoice', given));
      if (made === undefined) throw new LightningUnavailable('The wallet made no invoice.');
      if (made.amount !== given.amount) throw new LightningUnavailable('The wallet made an invoice of another amount.');
      const expiresAt = new Date(
        Math.min(madeAt + expiry * 1000, (made.expires_at ?? Number.POSITIVE_INFINITY) * 1000),
      );
      return { bolt11: made.invoice, paymentHash: made.payment_hash, expiresAt };
    },
    async lookup(asked) {
      const { data: found } = lookupWire.safeParse(await ask('lookup_invoice', { payment_hash: asked.paymentHash }));
      if (found === undefined || found.payment_hash !== asked.paymentHash)
        throw new LightningUnavailable('The wallet answered another invoice.');
      const { state, settled_at: settledAt, preimage, amount } = found;
      if (state == null ? !settledAt : state !== 'settled') return null;
      return provenPayment(asked, {
        preimage: hex.safeParse(preimage).success ? Buffer.from(preimage!, 'hex') : undefined,
        paidMsat: BigInt(amount),
        settledAt: settledAt ?? 0,
      });
    },
  };
}

type Ask = (method: string, params: object) => Promise<unknown>;

/** Asks the wallet of a connection, by the first of its relays that is of use. @returns what it has answered, unchecked */
function createAsk({ wallet, secret, relays: urls }: NwcConnection): Ask {
  const relays = createRelays({ named: urls.map((url) => url.replace(/^ws/, 'http')) });
  const key = Buffer.from(secret, 'hex');
  const who = { secret: key, signal: new AbortController().signal };
  /** How the wallet wants to be spoken to: looked for once. */
  let known: Seal | undefined;

  async function askBy(url: string, method: string, params: object): Promise<unknown> {
    known ??= await sealOf(
      await relays.find(url, { kinds: [kinds.info], authors: [wallet], limit: 1 }, who),
      key,
      wallet,
    );
    const { name, encrypt, decrypt } = known;
    const now = Math.floor(Date.now() / 1000);
    const request = signEvent(key, {
      kind: kinds.request,
      created_at: now,
      tags: [
        ['p', wallet],
        ['encryption', name],
        ['expiration', String(now + expirySeconds)],
      ],
      content: encrypt(JSON.stringify({ method, params })),
    });
    const answer = await relays.ask(url, request, { author: wallet, kind: kinds.response }, who);
    const read = answerWire.safeParse(JSON.parse(decrypt(answer.content)));
    if (!read.success || read.data.result_type !== method)
      throw new LightningUnavailable('The wallet answered something else.');
    if (read.data.error != null)
      throw new LightningUnavailable(`The wallet refused ${method}: ${read.data.error.code}.`);
    return read.data.result;
  }

  return async (method, params) => {
    let fault: unknown;
    for (const url of urls) {
      try {
        return await askBy(url, method, params);
      } catch (error) {
        if (error instanceof LightningUnavailable) throw error;
        fault = error;
      }
    }
    throw new LightningUnavailable('The lightning wallet cannot be asked.', { cause: fault });
  };
}

/** How what is said to a wallet is sealed. */
interface Seal {
  readonly name: 'nip44_v2' | 'nip04';
  readonly encrypt: (text: string) => string;
  readonly decrypt: (text: string) => string;
}

/** The better of what a wallet understands, by what it says of itself. Whoever takes no payments by lightning loads none of it. */
async function sealOf([info]: readonly SignedEvent[], key: Uint8Array, wallet: string): Promise<Seal> {
  const understood = info?.tags.find(([name]) => name === 'encryption')?.[1]?.split(' ') ?? [];
  if (understood.includes('nip44_v2')) {
    const { encrypt, decrypt, getConversationKey } = await import('nostr-tools/nip44');
    const conversation = getConversationKey(key, wallet);
    return {
      name: 'nip44_v2',
      encrypt: (text) => encrypt(text, conversation),
      decrypt: (text) => decrypt(text, conversation),
    };
  }
  const { encrypt, decrypt } = await import('nostr-tools/nip04');
  return {
    name: 'nip04',
    encrypt: (text) => encrypt(key, wallet, text),
    decrypt: (text) => decrypt(key, wallet, text),
  };
}
