import { randomHex } from './bytes.ts';
import type { Credential } from './credentials.ts';
import { errorOf, isUnknownCaller, networkError, neverLeft, SvcError } from './errors.ts';
import { challengeOf, type Payer } from './payment.ts';

export interface ConnectionOptions {
  /** Address of the gateway, for example `http://localhost:4000`. */
  readonly baseUrl: string;
  /** The caller. @default none */
  readonly credential?: Credential | undefined;
  /** Pays what is asked for with 402; without one such an answer is an error. */
  readonly payer?: Payer | undefined;
  readonly retry?: RetryOptions | undefined;
  /** How long a request may take, in seconds, its answer included unless that is a stream. @default 120 */
  readonly timeoutSeconds?: number | undefined;
  /** Told to the gateway in `Svc-Client`, at most 200 characters. @default nothing */
  readonly clientName?: string | undefined;
  /** @default the platform’s */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Told how the socket of subscriptions is doing. */
  readonly onSocket?: ((state: 'connecting' | 'open' | 'waiting' | 'closed') => void) | undefined;
  /** @default the platform’s; one of the package `ws` will do */
  readonly WebSocket?: SocketMaker | undefined;
}

/** What a socket has to have. */
export interface SocketLike {
  readonly readyState: number;
  // biome-ignore-start lint/suspicious/noExplicitAny: what platforms and packages declare of events differs.
  onopen: any;
  onmessage: any;
  onclose: any;
  onerror: any;
  // biome-ignore-end lint/suspicious/noExplicitAny: the same
  readonly send: (data: string) => void;
  readonly close: (code?: number) => void;
}

export type SocketMaker = new (url: string, protocol: string) => SocketLike;

export interface RetryOptions {
  /** How often a request is sent again. @default 3 */
  readonly times?: number | undefined;
  /** The first pause in milliseconds, doubled with each further one, where the gateway names none. @default 250 */
  readonly pauseMs?: number | undefined;
  /** The longest `Retry-After` that is waited for, in seconds; a longer one is the caller’s to decide. @default 30 */
  readonly longestWaitSeconds?: number | undefined;
}

/** What can be said beside the input of any call. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Makes a repeated change happen once; 1 to 256 characters. `false` sends none, so that the change is not repeated when
   * there was no answer. @default one made up for each call, for what takes one and costs nothing
   */
  readonly idempotencyKey?: string | false | undefined;
  /** In place of the connection’s. */
  readonly credential?: Credential | undefined;
  /** In place of the connection’s. */
  readonly payer?: Payer | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Told of each answer’s status and headers, such as `payment-response` and `x-svc-trace-id`. */
  readonly onResponse?: ((response: Response) => void) | undefined;
}

/** A request as it is to be sent, as often as need be. */
export interface Outgoing extends CallOptions {
  readonly method: string;
  /** Path without its query. */
  readonly path: string;
  /** With its question mark; may be empty. */
  readonly query?: string | undefined;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** Whether it changes something. */
  readonly isChange: boolean;
  /** Finds a refusal that the answer’s body tells in words of its own, also where the status says 200. */
  readonly refusalOf?: (answer: Answer) => SvcError | undefined;
}

/** A gateway and its caller. Namespaces and everything else are made from one. */
export interface Connection {
  readonly baseUrl: string;
  readonly options: ConnectionOptions;
  /**
   * Sends a request and repeats it where that is safe. The answer’s body is not read yet.
   *
   * @throws SvcError
   */
  readonly open: (request: Outgoing) => Promise<Response>;
  /** The same, with the answer’s text. @throws SvcError */
  readonly send: (request: Outgoing) => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Reader<Read> = (response: Response) => Promise<Read>;

const tooLong = () => new DOMException('It took too long.', 'TimeoutError');

/** The whole address of a gateway, which a page of its own may leave out. @throws TypeError for what is none */
function addressOf(given: string): string {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  try {
    const url = new URL(given, page);
    if (/^https?:$/.test(url.protocol)) return (url.origin + url.pathname).replace(/\/+$/, '');
  } catch {
    // Not a URL at all, which is refused like one of another scheme.
  }
  throw new TypeError(`${given} is no address of a gateway, which begins with https:// or http://.`);
}

/** Makes a connection; nothing is sent yet. @throws TypeError for what is no address of a gateway */
export function connect(options: ConnectionOptions): Connection {
  const baseUrl = addressOf(options.baseUrl);
  const { times = 3, pauseMs: firstPauseMs = 250, longestWaitSeconds = 30 } = options.retry ?? {};

  const headersOf = async (request: Outgoing, credential: Credential | undefined): Promise<Record<string, string>> => ({
    ...(await credential?.headers({ baseUrl, path: request.path, isChange: request.isChange })),
    ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
    ...(typeof request.idempotencyKey === 'string' ? { 'idempotency-key': request.idempotencyKey } : {}),
    // The audit gateway’s own paths let browsers send no such header.
    ...(options.clientName === undefined || isOpen(request) ? {} : { 'svc-client': options.clientName }),
    ...request.headers,
  });

  /**
   * Sends a request once.
   *
   * @param read what of an answer belongs to the request: a break while it is read is a break of the request
   * @throws whatever broke on the way, and a `TimeoutError` when it took too long
   */
  async function once<Read>(request: Outgoing, headers: Headers, read: Reader<Read>, staysHere: boolean) {
    const { method, path, query = '', body, signal } = request;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(tooLong()), (options.timeoutSeconds ?? 120) * 1_000);
    try {
      const response = await (options.fetch ?? fetch)(baseUrl + path + query, {
        method,
        headers,
        signal: signal === undefined ? patience.signal : AbortSignal.any([signal, patience.signal]),
        ...(body === undefined ? {} : { body }),
        // What was paid for at one address is never fetched at another, and of what says who somebody is a redirect to
        // another origin would take all along but `Authorization`.
        ...(staysHere ? { redirect: 'error' } : {}),
      });
      if (response.ok || response.status === 304) return { response, answer: await read(response) };
      return { response, text: await response.text() };
    } finally {
      clearTimeout(timer);
    }
  }

  async function repeated<Read>(
    request: Outgoing,
    read: Reader<Read>,
    refusalIn?: (read: Read) => SvcError | undefined,
  ): Promise<Read> {
    const { isChange, signal, refusalOf } = request;
    // One dot or two would be another path, on which something else may be done.
    if (/\/\.{1,2}(?:\/|$)/.test(request.path)) throw new TypeError(`${request.path} is no path of the gateway.`);
    const credential = request.credential ?? (isOpen(request) ? undefined : options.credential);
    const payer = request.payer ?? options.payer;
    const mayBeLost = !isChange || typeof request.idempotencyKey === 'string';
    // One name for all that is sent for one purchase, what is not paid yet included. Contract 04, section 1.3.
    const attempt = payer === undefined ? {} : { 'x-svc-payment-attempt-id': `pat_${randomHex()}` };
    let payment: Readonly<Record<string, string>> | undefined;
    let isRenewed = false;
    // Of what was sent several times one may have come through, though the last one did not.
    let mayHaveArrived = false;
    for (let sent = 0; ; ) {
      // A person who is asked to sign may take their time; what was paid meanwhile has to be found out, whatever ends this.
      const own = await unlessEnded(signal, () => headersOf(request, credential)).catch((error: unknown) => {
        throw payment === undefined ? error : ambiguous(error);
      });
      const headers = { ...attempt, ...own, ...payment };
      // What no header can hold is the caller’s mistake, not the network’s.
      const checked = new Headers(headers);
      const pauseMs = firstPauseMs * 2 ** sent * (0.5 + Math.random());
      const staysHere = payment !== undefined || credential !== undefined;
      const outcome = await once(request, checked, read, staysHere).catch((error: unknown) => ({ error }));
      if ('error' in outcome) {
        // Where it was sent on to another address, the first one had it.
        mayHaveArrived ||= !neverLeft(outcome.error) || (isChange && !staysHere);
        // A caller who stops a payment on its way still has to find out what became of it.
        if (payment !== undefined && mayHaveArrived) throw ambiguous(outcome.error);
        signal?.throwIfAborted();
        const isTooLong = (outcome.error as Partial<Error> | null)?.name === 'TimeoutError';
        if (isTooLong || (mayHaveArrived && !mayBeLost) || sent++ >= times)
          throw networkError(outcome.error, isChange, !mayHaveArrived, baseUrl);
        await pause(pauseMs, signal);
        continue;
      }
      const { response } = outcome;
      request.onResponse?.(response);
      const refusal =
        'answer' in outcome
          ? refusalIn?.(outcome.answer as Read)
          : (refusalOf?.({ status: response.status, headers: response.headers, text: outcome.text }) ??
            errorOf(response.status, response.headers, outcome.text));
      if (refusal === undefined) return (outcome as { readonly answer: Read }).answer;
      if (payment !== undefined && !saysWhatBecame(refusal)) throw ambiguous(refusal);
      const mayBeRenewed = isUnknownCaller(refusal) && refusal.mutationState !== 'partial' && !isRenewed;
      if (mayBeRenewed && credential?.renew !== undefined) {
        isRenewed = true;
        if (await unlessEnded(signal, () => credential.renew!(headers, refusal))) continue;
      }
      const challenge = payment === undefined && payer !== undefined ? challengeOf(refusal) : undefined;
      if (challenge !== undefined) {
        const url = baseUrl + request.path + (request.query ?? '');
        const paid = await payer!(challenge, { url, method: request.method, signal });
        if (paid === undefined) throw refusal;
        payment = typeof paid === 'string' ? { 'payment-signature': paid } : paid;
        continue;
      }
      const waitSeconds = refusal.retryAfterSeconds ?? 0;
      if (!refusal.retryable || !refusal.safeToRetry || waitSeconds > longestWaitSeconds || sent++ >= times)
        throw refusal;
      await pause(Math.max(waitSeconds * 1_000, pauseMs), signal);
    }
  }

  return {
    baseUrl,
    options,
    open: (request) => repeated(request, async (response) => response),
    send: (request) =>
      repeated(
        request,
        async (response) => ({ status: response.status, headers: response.headers, text: await response.text() }),
        request.refusalOf,
      ),
  };
}

/** Paths without authentication; browsers may send them no credential. */
const isOpen = ({ path }: Outgoing): boolean => path.startsWith('/api/');

/** What some work comes to, unless the call ends first; what has ended already begins nothing. */
async function unlessEnded<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
  if (signal === undefined) return work();
  signal.throwIfAborted();
  const over = new AbortController();
  const ended = new Promise<never>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal }),
  );
  try {
    return await Promise.race([work(), ended]);
  } finally {
    over.abort();
  }
}

/** Longest wait that timers know, in milliseconds; a longer one would be none at all. */
const pauseMaxMs = 2 ** 31 - 1;

/** Waits, unless it is told to stop. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, pauseMaxMs),
    );
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });

/**
 * Whether a refusal of a paid request leaves no doubt about the payment: a page of whatever stands before the gateway does
 * not know, and under `/api` a fault says nothing of it, but that payments cannot be taken.
 */
const saysWhatBecame = ({ status, code, envelope }: SvcError): boolean =>
  status < 500 || envelope.safe_to_retry !== undefined || code.toUpperCase() === 'PAYMENTS_UNAVAILABLE';

/** The proof of a payment was sent and there was no answer: whether it was settled has to be found out first. */
function ambiguous(cause: unknown): SvcError {
  const { message } = networkError(cause, true);
  const next_actions = [{ type: 'reconcile_payment', why: 'The payment may have been settled.' }];
  const code = 'X402_PAYMENT_OUTCOME_AMBIGUOUS';
  const flags = { retryable: false, safe_to_retry: false, mutation_state: 'unknown' } as const;
  return new SvcError({ code, message, category: 'payment', ...flags, next_actions }, 0, undefined, cause);
}
