import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import * as nip04 from 'nostr-tools/nip04';
import * as nip44 from 'nostr-tools/nip44';
import { type WebSocket, WebSocketServer } from 'ws';
import { newKey, readEvent, type SignedEvent, signEvent } from '../../engines/relay/signed-event.ts';
import { encodeInvoice } from './bolt11.ts';

interface Kept {
  type: 'incoming';
  state: 'pending' | 'settled';
  invoice: string;
  payment_hash: string;
  preimage?: string;
  amount: number;
  created_at: number;
  expires_at: number;
  settled_at?: number;
}

/**
 * A relay (NIP-01) with a wallet behind it that speaks Nostr Wallet Connect (NIP-47), in whichever encryption. Events are really
 * signed, and so are invoices, which real preimages settle.
 */
export async function startNwcServer(encryption: 'nip44_v2' | 'nip04' = 'nip44_v2') {
  const { secret: walletKey, publicKey: wallet } = newKey();
  const { secret: clientKey, publicKey: client } = newKey();
  const nodeKey = randomBytes(32);
  const conversation = nip44.getConversationKey(walletKey, client);
  const seal = (text: string) =>
    encryption === 'nip44_v2' ? nip44.encrypt(text, conversation) : nip04.encrypt(walletKey, client, text);
  const unseal = (text: string) =>
    encryption === 'nip44_v2' ? nip44.decrypt(text, conversation) : nip04.decrypt(walletKey, client, text);

  const invoices = new Map<string, Kept>();
  const preimages = new Map<string, string>();
  const faulty = new Map<string, object>();
  let refusal: string | undefined;
  const now = () => Math.floor(Date.now() / 1000);
  const info = signEvent(walletKey, {
    kind: 13_194,
    created_at: now(),
    tags: encryption === 'nip44_v2' ? [['encryption', 'nip44_v2 nip04']] : [],
    content: 'make_invoice lookup_invoice',
  });

  function carryOut(method: string, params: Record<string, unknown>): object {
    if (refusal !== undefined) return { error: { code: refusal, message: 'of its own' } };
    if (method === 'make_invoice') {
      const preimage = randomBytes(32);
      const hash = createHash('sha256').update(preimage).digest();
      const [amount, expirySeconds] = [params.amount as number, params.expiry as number];
      const created_at = now();
      const invoice = encodeInvoice(
        {
          sats: BigInt(amount) / 1000n,
          paymentHash: hash,
          paymentSecret: randomBytes(32),
          memo: params.description as string,
          expirySeconds,
          createdAt: created_at,
        },
        nodeKey,
      );
      const payment_hash = hash.toString('hex');
      const kept: Kept = {
        type: 'incoming',
        state: 'pending',
        invoice,
        payment_hash,
        amount,
        created_at,
        expires_at: created_at + expirySeconds,
      };
      invoices.set(payment_hash, kept);
      preimages.set(payment_hash, preimage.toString('hex'));
      return { result: kept };
    }
    const kept = invoices.get(params.payment_hash as string);
    if (kept === undefined) return { error: { code: 'NOT_FOUND', message: 'no such invoice' } };
    return { result: { ...kept, ...faulty.get(kept.payment_hash) } };
  }

  /** What the wallet answers to a request of the client it was made for. */
  function answerTo(request: SignedEvent): SignedEvent | undefined {
    if (request.kind !== 23_194 || request.pubkey !== client) return undefined;
    const { method, params } = JSON.parse(unseal(request.content));
    const answer = { result_type: method, error: null, ...carryOut(method, params) };
    const tags = [
      ['p', client],
      ['e', request.id],
    ];
    return signEvent(walletKey, { kind: 23_195, created_at: now(), tags, content: seal(JSON.stringify(answer)) });
  }

  const sockets = new Set<WebSocket>();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    const subscriptions = new Map<string, Record<string, readonly unknown[]>>();
    const tell = (...message: unknown[]) => socket.send(JSON.stringify(message));
    const pass = (event: SignedEvent, id: string) => {
      const { kinds, '#e': named = [] } = subscriptions.get(id) ?? {};
      const isNamed = named.length === 0 || event.tags.some(([tag, value]) => tag === 'e' && named.includes(value));
      if (kinds?.includes(event.kind) && isNamed) tell('EVENT', id, event);
    };
    socket.on('message', (data) => {
      const [type, first, second] = JSON.parse(String(data));
      if (type === 'REQ') {
        subscriptions.set(first, second);
        pass(info, first);
        tell('EOSE', first);
      }
      if (type === 'EVENT') {
        const request = readEvent(first);
        tell('OK', first.id, request !== undefined, '');
        const answer = request === undefined ? undefined : answerTo(request);
        if (answer === undefined) return;
        // Anybody may write to a relay: another's event comes first, for the same request, whoever is asked for.
        const { kind, created_at, tags, content } = answer;
        for (const event of [signEvent(newKey().secret, { kind, created_at, tags, content }), answer])
          for (const id of subscriptions.keys()) pass(event, id);
      }
    });
  });
  await once(server, 'listening');
  const relay = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secret = Buffer.from(clientKey).toString('hex');
  return {
    env: {
      // Nobody listens at the first of its relays.
      NWC_URL: `nostr+walletconnect://${wallet}?relay=${encodeURIComponent('ws://127.0.0.1:9')}&relay=${encodeURIComponent(relay)}&secret=${secret}`,
      LIGHTNING_USD_PER_BTC: '65000.50',
    },
    invoices,
    /** Requests are refused with a code from now on, or carried out again. */
    refuse: (code: string | undefined) => void (refusal = code),
    /** Breaks all connections. */
    cut: () => {
      for (const socket of sockets) socket.terminate();
    },
    /** What look-ups of one invoice answer beside what is true. */
    spoil: (hash: string, fault: object | undefined) =>
      void (fault === undefined ? faulty.delete(hash) : faulty.set(hash, fault)),
    /** Somebody pays. */
    pay(hash: string, at: Date = new Date()) {
      const settled_at = Math.floor(at.getTime() / 1000);
      Object.assign(invoices.get(hash)!, { state: 'settled', preimage: preimages.get(hash), settled_at });
    },
    async close() {
      for (const socket of sockets) socket.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}
