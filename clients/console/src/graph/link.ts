import { Client, cacheExchange, subscriptionExchange } from '@urql/core';
import { createClient, type Client as Socket, type SubscribePayload } from 'graphql-ws';
import type { Opening } from '../session/opening.ts';
import { createStore, type Store } from '../store.ts';
import { somethingChanged } from './changes.ts';

/** How the connection is. `unsigned`: it was lost, and the wallet is to sign before there is another. */
export type LinkState = 'connecting' | 'open' | 'lost' | 'unsigned';

/** The one connection to the gateway: everything is asked and followed over it. */
export interface Link {
  readonly client: Client;
  readonly state: Store<LinkState>;
  /** Has the wallet sign for the next connection. @throws when it does not */
  readonly sign: () => Promise<void>;
  /** When the next attempt is made, in milliseconds since 1970; undefined while none is waited for. */
  readonly nextTry: Store<number | undefined>;
  /** Makes the next attempt now. */
  readonly retry: () => void;
  /** Looks whether who signed in still is, and leaves otherwise. */
  readonly doubt: () => Promise<void>;
  readonly close: () => void;
}

/** Pauses between attempts, in milliseconds: from the first to the longest, doubled each time. */
const pauseMs = { first: 300, longest: 10_000 };
/** How often a silent connection is asked whether it is alive, and how long it may take to say so, in milliseconds. */
const pulseMs = { every: 10_000, patience: 5_000 };

/**
 * Opens the connection. When it is lost it is opened again for as long as it takes; subscriptions go on from their last
 * cursor, and changes that were on their way are sent again under their idempotency key.
 *
 * @param refused told why when the gateway does not let it in
 */
export function createLink(opening: Opening, refused: (why: string) => void): Link {
  const state = createStore<LinkState>('connecting');
  const nextTry = createStore<number | undefined>(undefined);
  let hurry: (() => void) | undefined;
  let signed: (() => void) | undefined;
  let closing = false;
  let reopened = false;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const sign = async () => {
    await opening.ask();
    signed?.();
  };
  const giveUp = (why: string) => {
    if (closing) return;
    closing = true;
    refused(why);
  };

  const socket = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    lazy: false,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => !closing,
    keepAlive: pulseMs.every,
    async retryWait(retries) {
      const pause = Math.min(pauseMs.first * 2 ** retries, pauseMs.longest);
      await waitForTry(pause * (0.5 + Math.random() / 2));
      if (!opening.asks()) return;
      state.set('unsigned');
      await new Promise<void>((resolve) => (signed = resolve));
      state.set('connecting');
    },
    async connectionParams() {
      const params = await opening.params();
      if (params === undefined) giveUp(opening.refused);
      return params ?? {};
    },
    on: {
      connected: () => {
        // What no feed told of while it was away.
        if (reopened) somethingChanged();
        reopened = true;
        state.set('open');
      },
      closed: (event) => {
        // What this one did not answer is nothing to end the next one for.
        clearTimeout(silence);
        if (closing) return;
        if (event instanceof CloseEvent && event.code === 4403) return giveUp(opening.refused);
        state.set('lost');
      },
      ping: (received) => {
        if (!received) silence = setTimeout(() => socket.terminate(), pulseMs.patience);
      },
      pong: (received) => {
        if (received) clearTimeout(silence);
      },
    },
    onNonLazyError: () => giveUp('The gateway closed the connection for good. Load the page again.'),
  });
  const doubt = async () => {
    if (!closing && (await opening.isOver())) giveUp(opening.refused);
  };
  return { client: clientOver(socket, () => void doubt()), state, sign, nextTry, retry: () => hurry?.(), doubt, close };

  /** Waits, but not once the device has its network back, or somebody wants no more waiting. */
  async function waitForTry(ms: number): Promise<void> {
    nextTry.set(Date.now() + ms);
    const over = new AbortController();
    await new Promise<void>((resolve) => {
      hurry = resolve;
      setTimeout(resolve, ms);
      addEventListener('online', () => resolve(), { signal: over.signal });
    });
    over.abort();
    nextTry.set(undefined);
  }

  function close(): void {
    closing = true;
    void socket.dispose();
  }
}

/** What an operation is refused with when who sent it is nobody any more, and what ends a subscription then. */
const doubts: readonly unknown[] = ['INVALID_AUTH', 'OPERATOR_SESSION_INVALID', 'NOT_AUTHORIZED'];
const isDoubt = ({ extensions }: { readonly extensions?: Record<string, unknown> | undefined }) =>
  doubts.includes(extensions?.code);

/** urql with everything sent over the socket. @param doubted told when something was refused for who sent it */
const clientOver = (socket: Socket, doubted: () => void): Client =>
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
                if (result.errors?.some(isDoubt) === true) doubted();
                const cursor = cursorOf(result.data);
                // The payload is written anew for each connection: the next one goes on from here.
                if (kind === 'subscription' && cursor !== undefined) own.after = cursor;
                sink.next(result as Parameters<typeof sink.next>[0]);
              },
              error(error) {
                if (!Array.isArray(error)) return sink.error(error);
                if (error.some(isDoubt)) doubted();
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
