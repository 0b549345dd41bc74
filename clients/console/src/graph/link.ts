import { Client, cacheExchange, subscriptionExchange } from '@urql/core';
import { createClient, type Client as Socket, type SubscribePayload } from 'graphql-ws';
import type { Opening } from '../session/opening.ts';
import { createStore, type Store } from '../store.ts';
import { somethingChanged } from './changes.ts';

/**
 * State of the connection. `unsigned`: it was lost, and the wallet has to sign before the next one opens. `over`: the session
 * has ended, and its member has to sign in again.
 */
export type LinkState = 'connecting' | 'open' | 'lost' | 'unsigned' | 'over';

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
  /** Checks whether the session is still valid, and opens another connection where another session took its place. */
  readonly doubt: () => Promise<void>;
  /** Goes on with another session of the same member: subscriptions from their cursors, changes under their keys. */
  readonly resume: (opening: Opening) => void;
  readonly close: () => void;
}

/** Called when the gateway takes the connection no more. */
interface Ends {
  /** The session has ended. `resume` of the link goes on with another one. */
  readonly over: (why: string) => void;
  /** No session will help. The link is closed. */
  readonly refused: (why: string) => void;
}

/** Pauses between attempts, in milliseconds. The pause starts at `first` and doubles up to `longest`. */
const pauseMs = { first: 300, longest: 10_000 };
/** Interval of pings on a silent connection, and the timeout for the pong, in milliseconds. */
const pulseMs = { every: 10_000, patience: 5_000 };

/**
 * Opens the connection. After a loss it reconnects until it succeeds. Subscriptions then resume from their last
 * cursor, and pending mutations are sent again under their idempotency key.
 */
export function createLink(first: Opening, ends: Ends): Link {
  let opening = first;
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
    ends.refused(why);
  };
  let resumed: Promise<void> | undefined;
  let goOn: (() => void) | undefined;
  /** Holds every attempt back until there is another session. */
  const waitForSession = () => {
    if (closing || resumed !== undefined) return;
    resumed = new Promise((resolve) => {
      goOn = resolve;
    });
    state.set('over');
    ends.over(opening.refused);
  };

  const socket = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    lazy: false,
    webSocketImpl: PatientSocket,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => !closing,
    keepAlive: pulseMs.every,
    async retryWait(retries) {
      const pause = Math.min(pauseMs.first * 2 ** retries, pauseMs.longest);
      await (resumed ?? waitForTry(pause * (0.5 + Math.random() / 2)));
      if (!opening.asks()) return;
      state.set('unsigned');
      await new Promise<void>((resolve) => (signed = resolve));
      state.set('connecting');
    },
    async connectionParams() {
      for (;;) {
        const params = await opening.params();
        if (params !== undefined) return params;
        waitForSession();
        await resumed;
      }
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
        if (event instanceof CloseEvent && event.code === 4403) waitForSession();
        if (resumed === undefined) state.set('lost');
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
    if (closing || resumed !== undefined) return;
    const standing = await opening.check();
    if (standing === 'good' || closing || resumed !== undefined) return;
    if (standing === 'over') waitForSession();
    socket.terminate();
  };
  const client = clientOver(socket, () => void doubt());
  return { client, state, sign, nextTry, retry: () => hurry?.(), doubt, resume, close };

  function resume(next: Opening): void {
    opening = next;
    resumed = undefined;
    state.set('connecting');
    goOn?.();
  }

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

/** The gateway closes a connection with this code when a message is too long for it. */
const tooLong = 1009;
/** RFC 6455: try again later. */
const tryAgain = 1013;

/** graphql-ws gives a connection up after some codes of closing. One operation that was too long must not end all others. */
class PatientSocket extends WebSocket {
  constructor(url: string, protocols?: string | string[]) {
    super(url, protocols);
    // The first listener: none behind it hears of the code.
    this.addEventListener('close', (event) => {
      if (event.code !== tooLong) return;
      event.stopImmediatePropagation();
      this.dispatchEvent(new CloseEvent('close', { code: tryAgain, reason: event.reason }));
    });
  }
}

/** The largest message that the gateway takes, in bytes; room is left for what is around an operation. */
const messageBytesMax = 1024 * 1024 - 1024;

/** Whether an operation fits into one message, which is written in UTF-8. */
function fits(payload: SubscribePayload): boolean {
  const text = JSON.stringify(payload);
  // A UTF-16 unit takes three bytes at most.
  return text.length * 3 <= messageBytesMax || new TextEncoder().encode(text).length <= messageBytesMax;
}

const overlong = {
  message: 'This is more than the gateway takes at once. Send less than a megabyte.',
  extensions: { code: 'BODY_TOO_LARGE', retryable: false, mutation_state: 'none' },
};

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
            if (!fits(payload)) {
              sink.next({ errors: [overlong] } as unknown as Parameters<typeof sink.next>[0]);
              sink.complete();
              return { unsubscribe: () => undefined };
            }
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
