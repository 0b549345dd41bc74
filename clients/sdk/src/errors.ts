import type { KnownErrorCode } from './error-codes.ts';
import { parseExactJson } from './exact-json.ts';

/** Something that could be done now, as the gateway names it. It is shown, and never carried out by itself. */
export interface NextAction {
  readonly type: string;
  readonly method?: string;
  readonly path?: string;
  readonly command?: string;
  readonly auth?: string;
  readonly why?: string;
  readonly body?: unknown;
  readonly [member: string]: unknown;
}

/** One of the gateway’s codes, or one that is younger than this package. */
export type ErrorCode = KnownErrorCode | (string & Record<never, never>);

/** How much of a change was made when it was refused. */
export type MutationState = 'none' | 'not_started' | 'committed' | 'rolled_back' | 'partial' | 'unknown';

/** The gateway’s error envelope, as it is on the wire. */
export interface ErrorEnvelope {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly error?: string;
  readonly category?: string;
  readonly retryable?: boolean;
  readonly safe_to_retry?: boolean;
  readonly mutation_state?: MutationState;
  readonly trace_id?: string;
  /** Text or null where rows were refused by the database. */
  readonly details?: Readonly<Record<string, unknown>> | string | null;
  readonly next_actions?: readonly NextAction[];
  readonly [member: string]: unknown;
}

/** What a program may want to tell apart, whatever the code. */
export type ErrorKind =
  | 'payment_required'
  | 'step_up_required'
  | 'not_authorized'
  | 'operator_approval_required'
  | 'unauthorized'
  | 'pending_transfer'
  | 'quota'
  | 'network'
  | 'api_error';

/** What every copy of this package knows its errors by. */
const mark = Symbol.for('svc.SvcError');

/** A refusal of the gateway, or a request that got no answer (`NETWORK_ERROR`). Branch on `code`. */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  /** Stable; docs/errors.md lists them. */
  readonly code: ErrorCode;
  /** Status of the answer; 0 when there was none. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Whether repeating it can do no harm. */
  readonly safeToRetry: boolean;
  readonly mutationState: MutationState;
  readonly category: string | undefined;
  /** Finds the request in the server’s log. */
  readonly traceId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly nextActions: readonly NextAction[];
  /** How long to wait before the same request, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** The answer as it came, with names of the wire. */
  readonly envelope: ErrorEnvelope;
  /** Headers of the answer; a challenge to pay is in `payment-required`. */
  readonly headers: Headers | undefined;

  constructor(envelope: ErrorEnvelope, status: number, headers?: Headers, cause?: unknown) {
    super(envelope.message ?? envelope.error ?? envelope.code, cause === undefined ? undefined : { cause });
    this.code = envelope.code;
    this.status = status;
    this.retryable = envelope.retryable === true;
    this.safeToRetry = envelope.safe_to_retry === true;
    this.mutationState = envelope.mutation_state ?? 'unknown';
    this.category = envelope.category;
    this.traceId = envelope.trace_id;
    // What the database refuses rows with is text.
    this.details = isObject(envelope.details) ? envelope.details : {};
    this.nextActions = envelope.next_actions ?? [];
    this.retryAfterSeconds = retryAfter(headers?.get('retry-after') ?? envelope.retry_after);
    this.envelope = envelope;
    this.headers = headers;
  }

  get [mark](): true {
    return true;
  }

  get kind(): ErrorKind {
    return kindOf(this);
  }
}

/** Seconds of a header `Retry-After`, which may be a time. */
function retryAfter(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value === '') return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/**
 * Whether something is an {@link SvcError}, also one that another copy of this package made, or another frame of a page:
 * such a one is no instance of this copy’s class.
 */
export const isSvcError = (error: unknown): error is SvcError =>
  isObject(error) && (error as { readonly [mark]?: unknown })[mark] === true;

/** Refusals of the caller rather than of the request; GraphQL has them in an answer of 200. */
const unknownCaller =
  /^(AUTH_REQUIRED|INVALID_AUTH|OPERATOR_SESSION_INVALID|SVC_AUTH_(REQUIRED|SESSION_\w+|INVALID_BEARER))$/;

/** Whether another credential may be let in with the same request. */
export const isUnknownCaller = ({ status, code }: SvcError): boolean => status === 401 || unknownCaller.test(code);

/** Contract 04, section 0.3. */
function kindOf(error: SvcError): ErrorKind {
  const { code, status, category } = error;
  if (status === 0 && category !== 'client') return 'network';
  if (status === 402 || code === 'PAYMENT_REQUIRED') return 'payment_required';
  if (code === 'STEP_UP_REQUIRED') return 'step_up_required';
  if (code.startsWith('WRITE_AUTH_')) return 'operator_approval_required';
  if (code === 'PROJECT_HAS_PENDING_TRANSFER') return 'pending_transfer';
  if (category === 'quota') return 'quota';
  if (code === 'NOT_AUTHORIZED') return 'not_authorized';
  return isUnknownCaller(error) || status === 403 ? 'unauthorized' : 'api_error';
}

/** The error of an answer. What is no envelope, such as a proxy’s page, is described by its status and its beginning. */
export function errorOf(status: number, headers: Headers, text: string): SvcError {
  const body = jsonOf(text);
  if (isObject(body) && typeof body.code === 'string')
    // Problem details call their message `detail`.
    return new SvcError({ message: body.detail, ...body } as unknown as ErrorEnvelope, status, headers);
  const code = status === 402 ? 'PAYMENT_REQUIRED' : status === 401 ? 'UNAUTHORIZED' : 'API_ERROR';
  const told = isObject(body) ? (body.error ?? body.message) : undefined;
  const message = typeof told === 'string' ? told : `The server answered ${status}.`;
  return new SvcError({ code, message, details: { body_preview: text.slice(0, 500) } }, status, headers);
}

/** What this side cannot do, so that nothing was sent. */
export const localError = (message: string, cause?: unknown): SvcError =>
  new SvcError(
    { code: 'LOCAL_ERROR', message, category: 'client', mutation_state: 'not_started' },
    0,
    undefined,
    cause,
  );

/** What broke, and what was behind it: Node.js says no more than that fetching failed, and keeps to itself what it was. */
const causesOf = (broken: unknown): readonly { readonly code?: unknown; readonly syscall?: unknown }[] =>
  [broken, (broken as Partial<Error> | null)?.cause].filter(isObject);

/** Whether what broke was the way to the gateway, so that nothing was sent. Browsers do not tell. */
export const neverLeft = (broken: unknown): boolean =>
  causesOf(broken).some(
    ({ code, syscall }) =>
      syscall === 'connect' ||
      (typeof code === 'string' && /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|CERT_)/.test(code)),
  );

/** The innermost words: those of `fetch` itself name neither the address nor the cause. */
function wordsOf(broken: unknown): string {
  const { message, cause } = (broken ?? {}) as Partial<Error>;
  const inner = (cause as Partial<Error> | undefined)?.message;
  return inner || message || String(broken);
}

/**
 * A request that got no answer.
 *
 * @param isChange whether it may have changed something
 * @param isUnsent whether it is certain that the gateway never had it
 * @param baseUrl the gateway's address
 */
export function networkError(cause: unknown, isChange: boolean, isUnsent = false, baseUrl?: string): SvcError {
  const why = wordsOf(cause);
  const [named] = causesOf(cause)
    .map(({ code }) => code)
    .filter((one) => typeof one === 'string' && !why.includes(one));
  const isUnknown = isChange && !isUnsent;
  return new SvcError(
    {
      code: 'NETWORK_ERROR',
      message: `The gateway ${baseUrl === undefined ? '' : `at ${baseUrl} `}${isUnsent ? 'was not reached' : 'gave no answer'}: ${why}${named === undefined ? '' : ` (${named})`}`,
      category: 'upstream',
      retryable: true,
      safe_to_retry: !isUnknown,
      mutation_state: isUnknown ? 'unknown' : isChange ? 'not_started' : 'none',
    },
    0,
    undefined,
    cause,
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The JSON of an answer that says it went well. @throws SvcError for what is none, such as a page of some proxy */
export function answerOf({ status, headers, text }: { status: number; headers: Headers; text: string }): unknown {
  if (text === '') return undefined;
  const value = jsonOf(text);
  if (value !== undefined) return value;
  throw new SvcError(
    { code: 'API_ERROR', message: 'The answer is no JSON.', details: { body_preview: text.slice(0, 500) } },
    status,
    headers,
  );
}

export function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
