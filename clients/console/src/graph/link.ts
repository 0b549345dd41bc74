import { Client, cacheExchange, subscriptionExchange } from '@urql/core';
import { createClient, type Client as Socket, type SubscribePayload } from 'graphql-ws';
import type { Opening } from '../session/opening.ts';
import { createStore, type Store } from '../store.ts';
import { somethingChanged } from './changes.ts';

/** State of the connection. `unsigned`: it was lost, and the wallet has to sign before the next one opens. */
export type LinkState = 'connecting' | 'open' | 'lost' | 'unsigned';

/** The one connection to the gateway. All queries, mutations and subscriptions use it. */
export interface Link {
  readonly client: Client;
  readonly state: Store<LinkState>;
  /** Asks the wallet to sign for the next connection. @throws when the wallet refuses */
  readonly sign: () => Promise<void>;
  /** Time of the next attempt, in milliseconds since 1970; undefined while none is scheduled. */
  readonly nextTry: Store<number | undefined>;
  /** Makes the next attempt now. */
  readonly retry: () => void;
  /** Checks whether the session is still valid, and leaves the console if not. */
  readonly doubt: () => Promise<void>;
  readonly close: () => void;
}

/** Pauses between attempts, in milliseconds. The pause starts at `first` and doubles up to `longest`. */
const pauseMs = { first: 300, longest: 10_000 };
/** Interval of pings on a silent connection, and the timeout for the pong, in milliseconds. */
const pulseMs = { every: 10_000, patience: 5_000 };

/**
 * Opens the connection. After a loss it reconnects until it succeeds. Subscriptions then resume from their last
 * cursor, and pending mutations are sent again under their idempotency key.
 *
 * @param refused called with the reason when the gateway rejects the connection
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
        // Reloads data for which no feed exists: it may have changed while the connection was lost.
        if (reopened) somethingChanged();
        reopened = true;
        state.set('open');
      },
      closed: (event) => {
        // A pong that is missing on this connection must not close the next one.
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

  /** Waits until the time is over, the device is online again, or the user asks for an attempt now. */
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

/** Codes that make the session doubtful: an operation fails or a subscription ends with them when it is over. */
const doubts: readonly unknown[] = ['INVALID_AUTH', 'OPERATOR_SESSION_INVALID', 'NOT_AUTHORIZED'];
const isDoubt = ({ extensions }: { readonly extensions?: Record<string, unknown> | undefined }) =>
  doubts.includes(extensions?.code);

/**
 * Creates a urql client that sends everything over the socket. @param doubted called when the gateway refused an
 * operation because of its caller
 */
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
                // Each connection serializes the payload again, so the next one resumes from this cursor.
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

/** Finds the cursor in an event of a feed. */
function cursorOf(data: Record<string, unknown> | null | undefined): string | undefined {
  for (const event of Object.values(data ?? {})) {
    const { cursor } = (event ?? {}) as { cursor?: unknown };
    if (typeof cursor === 'string') return cursor;
  }
  return undefined;
}
