/**
 * One row per error code: the code is the contract, the message is prose. Every surface renders the same row
 * (REST envelope, GraphQL extensions, sockets), so a code has one status and one pair of retry flags everywhere.
 *
 * Each domain declares its own codes in its `error-codes.ts`, and names them in its manifest. Codes that several domains
 * throw, or a folder below the domains, are in `common-errors.ts`.
 */

export type ErrorCategory =
  | 'validation'
  | 'auth'
  | 'billing'
  | 'payment'
  | 'quota'
  | 'rate_limit'
  | 'lifecycle'
  | 'not_found'
  | 'conflict'
  | 'client_compatibility'
  | 'deploy'
  | 'storage'
  | 'upstream'
  | 'internal';

/** What became of the change a request asked for. `none`: the request would have changed nothing, or changed nothing. */
export type MutationState = 'none' | 'not_started' | 'committed' | 'rolled_back' | 'partial' | 'unknown';

/** Something a caller may do next; advisory, never run by a client on its own. */
export interface NextAction {
  readonly type: string;
  readonly method?: string;
  readonly path?: string;
  readonly auth?: string;
  readonly why?: string;
  readonly command?: string;
  readonly [extra: string]: unknown;
}

export interface ErrorRow {
  readonly status: number;
  readonly category: ErrorCategory;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** Repeating the request cannot duplicate a change. */
  readonly safeToRetry: boolean;
  /** Default message; the thrower may say something more exact. */
  readonly message: string;
  readonly mutationState?: MutationState;
  readonly nextActions?: readonly NextAction[];
}

/** A row of a table of codes. */
export const row = (
  status: number,
  category: ErrorCategory,
  message: string,
  more: Partial<Omit<ErrorRow, 'status' | 'category' | 'message'>> = {},
): ErrorRow => ({ status, category, message, retryable: false, safeToRetry: true, ...more });

export const signIn: NextAction = {
  type: 'authenticate',
  auth: 'SIWX',
  why: 'Send a signed wallet message in the SIGN-IN-WITH-X header.',
};
export const sendAdminKey: NextAction = {
  type: 'authenticate',
  why: 'Send the admin key in the X-Admin-Key header; svc reads it from SVC_ADMIN_KEY. In development the gateway prints it at its start.',
};
export const signInThere: NextAction = { type: 'authenticate', path: '/auth/sign-in', why: 'Sign in on this host.' };
export const again: NextAction = { type: 'retry', why: 'Send the same request again after a short pause.' };
export const edit: NextAction = { type: 'edit_request', why: 'Correct the named field and send the request again.' };
export const fund: NextAction = {
  type: 'fund_wallet',
  why: 'Have the prepaid balance added to, then send the request again.',
};

export const renewTier = (tier: string) => ({
  type: 'renew_tier',
  method: 'POST',
  path: `/tiers/v1/${tier}`,
  why: 'Set a tier: the organization is active again at once.',
});
export const renew = renewTier(':tier');

export const higherTier: NextAction = {
  type: 'set_tier',
  method: 'POST',
  path: '/tiers/v1/:tier',
  why: 'A higher tier allows more.',
};

export const checkUsage: NextAction = {
  type: 'check_usage',
  method: 'GET',
  path: '/tiers/v1/status',
  why: 'See what is used.',
};

/** Every code, by declaration merging: a code that no table has does not compile. */
// biome-ignore lint/suspicious/noEmptyInterface: each table adds its codes.
export interface ErrorRows {}

export type ErrorCode = keyof ErrorRows;

const declared = new Map<string, ErrorRow>();

/** Declares codes. The module adds them to {@link ErrorRows}, and the manifest of its domain names them. */
export function defineErrors<const Code extends string>(rows: Readonly<Record<Code, ErrorRow>>) {
  for (const [code, one] of Object.entries<ErrorRow>(rows)) {
    if (declared.has(code)) throw new Error(`There are two errors called ${code}.`);
    declared.set(code, one);
  }
  return rows;
}

/** The row of a code. Its table is loaded with its domain. */
export function rowOf(code: ErrorCode): ErrorRow {
  const found = declared.get(code);
  if (found === undefined) throw new Error(`The domain that declares the error ${code} is not loaded.`);
  return found;
}
