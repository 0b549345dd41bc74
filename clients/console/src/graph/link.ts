import { Client, cacheExchange, subscriptionExchange } from '@urql/core';
import { createClient, type Client as Socket, type SubscribePayload } from 'graphql-ws';
import { type Signer, signatureMs, signIn } from '../session/siwx.ts';
import { createStore, type Store } from '../store.ts';
import { somethingChanged } from './changes.ts';

/** How the connection is. `unsigned`: it was lost, and the wallet is to sign before there is another. */
export type LinkState = 'connecting' | 'open' | 'lost' | 'unsigned';

/** The one connection to the gateway: everything is asked and followed over it. */
export interface Link {
  readonly client: Client;
  readonly state: Store<LinkState>;
  /** Has the wallet sign for the next connection. */
  readonly sign: () => Promise<void>;
  readonly close: () => void;
}

/** Pauses between attempts, in milliseconds: from the first to the longest, doubled each time. */
const pauseMs = { first: 300, longest: 10_000 };
/** How often a silent connection is asked whether it is alive, and how long it may take to say so, in milliseconds. */
const pulseMs = { every: 10_000, patience: 5_000 };
/** A signature that is nearly too old is not worth a connection. */
const worthMs = signatureMs - 30_000;

/**
 * Opens the connection. When it is lost it is opened again for as long as it takes; subscriptions go on from their last
 * cursor, and changes that were on their way are sent again under their idempotency key.
 *
 * @param first a signature that was just made
 * @param refused told why when the gateway does not take a signature
 */
export function createLink(signer: Signer, first: string, refused: (why: string) => void): Link {
  const state = createStore<LinkState>('connecting');
  let signature: { readonly header: string; readonly madeAt: number } | undefined = {
    header: first,
    madeAt: Date.now(),
  };
  let signed: (() => void) | undefined;
  let closing = false;
  let reopened = false;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const sign = async () => {
    signature = { header: await signIn(signer), madeAt: Date.now() };
    signed?.();
  };

  const socket = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    lazy: false,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => !closing,
    keepAlive: pulseMs.every,
    async retryWait(retries) {
      const pause = Math.min(pauseMs.first * 2 ** retries, pauseMs.longest);
      await passOrOnline(pause * (0.5 + Math.random() / 2));
      // Nobody should meet a wallet's question that they did not ask for.
      if (signer.kind === 'key' || (signature !== undefined && Date.now() - signature.madeAt < worthMs)) return;
      state.set('unsigned');
      await new Promise<void>((resolve) => (signed = resolve));
      state.set('connecting');
    },
    async connectionParams() {
      if (signature === undefined && signer.kind === 'key') await sign();
      const header = signature?.header;
      // Spent by this connection, whatever comes of it.
      signature = undefined;
      return { 'sign-in-with-x': header };
    },
    on: {
      connected: () => {
        // What no feed told of while it was away.
        if (reopened) somethingChanged();
        reopened = true;
        state.set('open');
      },
      closed: (event) => {
        if (closing) return;
        if (event instanceof CloseEvent && event.code === 4403) {
          closing = true;
          refused('The gateway did not take the signature. Is the clock of this device right?');
          return;
        }
        state.set('lost');
      },
      ping: (received) => {
        if (!received) silence = setTimeout(() => socket.terminate(), pulseMs.patience);
      },
      pong: (received) => {
        if (received) clearTimeout(silence);
      },
    },
    onNonLazyError: () => refused('The gateway closed the connection for good. Load the page again.'),
  });
  return { client: clientOver(socket), state, sign, close };

  function close(): void {
    closing = true;
    void socket.dispose();
  }
}

/** urql with everything sent over the socket. */
const clientOver = (socket: Socket): Client =>
  new Client({
    url: '/graphql',
    preferGetMethod: false,
    exchanges: [
      cacheExchange,
      subscriptionExchange({
        enableAllOperations: true,
        forwardSubscription: ({ query = '', operationName, variables }, { kind }) => ({
          subscribe(sink) {
            const own: Record<string, unknown> = { ...variables };
            const payload: SubscribePayload = { query, operationName, variables: own };
            const unsubscribe = socket.subscribe<Record<string, unknown>>(payload, {
              next(result) {
                const cursor = cursorOf(result.data);
                // The payload is written anew for each connection: the next one goes on from here.
                if (kind === 'subscription' && cursor !== undefined) own.after = cursor;
                sink.next(result as Parameters<typeof sink.next>[0]);
              },
              error(error) {
                if (!Array.isArray(error)) return sink.error(error);
                sink.next({ errors: error });
                sink.complete();
              },
              complete: () => sink.complete(),
            });
            return { unsubscribe };
          },
        }),
      }),
    ],
  });

/** Where an event of a feed says that one may go on from. */
function cursorOf(data: Record<string, unknown> | null | undefined): string | undefined {
  for (const event of Object.values(data ?? {})) {
    const { cursor } = (event ?? {}) as { cursor?: unknown };
    if (typeof cursor === 'string') return cursor;
  }
  return undefined;
}

/** Waits, but not when the device has just got its network back. */
async function passOrOnline(ms: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([
    new Promise((resolve) => setTimeout(resolve, ms)),
    new Promise((resolve) => addEventListener('online', resolve, { signal: over.signal })),
  ]);
  over.abort();
}
