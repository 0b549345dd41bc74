import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeInvoice } from './bolt11.ts';

interface Kept {
  r_hash: string;
  r_preimage: string;
  payment_request: string;
  value: string;
  state: 'OPEN' | 'SETTLED' | 'CANCELED';
  amt_paid_msat: string;
  creation_date: string;
  expiry: string;
  settle_date: string;
}

/** Speaks the REST interface of LND as far as the gateway uses it: invoices are really signed, and settled by real preimages. */
export async function startLndServer() {
  const macaroon = randomBytes(40).toString('hex');
  const key = randomBytes(32);
  const invoices = new Map<string, Kept>();
  const faulty = new Map<string, object | string>();
  let down = 0;
  let asked = 0;

  function add(body: { r_preimage: string; value: string; memo: string; expiry: string }) {
    const preimage = Buffer.from(body.r_preimage, 'base64');
    const paymentHash = createHash('sha256').update(preimage).digest();
    const hash = paymentHash.toString('hex');
    if (invoices.has(hash))
      return { status: 409, json: { code: 6, message: 'invoice with payment hash already exists' } };
    const createdAt = Math.floor(Date.now() / 1000);
    const invoice = { sats: BigInt(body.value), paymentHash, paymentSecret: randomBytes(32), memo: body.memo };
    const payment_request = encodeInvoice({ ...invoice, expirySeconds: Number(body.expiry), createdAt }, key);
    const { value, expiry, r_preimage } = body;
    const times = { creation_date: String(createdAt), expiry, settle_date: '0' };
    const kept: Kept = {
      r_hash: paymentHash.toString('base64'),
      r_preimage,
      payment_request,
      value,
      state: 'OPEN',
      amt_paid_msat: '0',
      ...times,
    };
    invoices.set(hash, kept);
    return { status: 200, json: { r_hash: kept.r_hash, payment_request, add_index: '1' } };
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked++;
    const reply = (status: number, body: object | string) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    if (down > 0) {
      down--;
      return request.socket.destroy();
    }
    if (request.headers['grpc-metadata-macaroon'] !== macaroon) return reply(401, { message: 'verification failed' });
    if (request.method === 'POST' && request.url === '/v1/invoices') {
      const { status, json } = add(JSON.parse(Buffer.concat(chunks).toString()));
      return reply(status, json);
    }
    const hash = /^\/v1\/invoice\/([0-9a-f]{64})$/.exec(request.url!)?.[1] ?? '';
    const fault = faulty.get(hash);
    const kept = invoices.get(hash);
    if (kept === undefined) return reply(404, { code: 5, message: 'unable to locate invoice' });
    return reply(200, typeof fault === 'string' ? fault : { ...kept, ...fault });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: { LND_URL: url, LND_MACAROON: macaroon, LIGHTNING_USD_PER_BTC: '65000.50' },
    invoices,
    asked: () => asked,
    /** The next requests find nobody. */
    fail: (requests: number) => {
      down = requests;
    },
    /** What look-ups of one invoice answer instead, or beside what is true. */
    spoil: (hash: string, fault: object | string | undefined) =>
      void (fault === undefined ? faulty.delete(hash) : faulty.set(hash, fault)),
    /** Somebody pays. */
    pay(hash: string, at: Date = new Date()) {
      const kept = invoices.get(hash)!;
      kept.state = 'SETTLED';
      kept.amt_paid_msat = `${kept.value}000`;
      kept.settle_date = String(Math.floor(at.getTime() / 1000));
    },
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
