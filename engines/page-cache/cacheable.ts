/** A header of an answer. */
export type Header = readonly [name: string, value: string];

/** What a function has answered. */
export interface RenderedPage {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

/** Why an answer is not kept, as `x-svc-cache-reason` says it. Contract 03, section 3.8. */
export type BypassReason =
  | 'method'
  | 'auth'
  | 'preview'
  | 'status'
  | 'set_cookie'
  | 'no_cache_control'
  | 'not_cacheable'
  | 'unsupported_vary'
  | 'too_large'
  /** The host was invalidated, or another release went live, while the page was made. */
  | 'superseded';

/** Largest page that is kept, in bytes. */
export const pageBytesMax = 1024 * 1024;
/** Longest that a page is kept, in seconds. */
export const keptSecondsMax = 30 * 24 * 60 * 60;
/** Largest headers that are kept with a page, in bytes. */
const headerBytesMax = 16 * 1024;

/** Statuses of answers that are the same for everybody who asks. */
const keptStatuses: ReadonlySet<number> = new Set([200, 203, 301, 308, 404, 410]);

/**
 * What a page may say that it depends on. The language is part of what a page is kept under, and how it is packed is decided
 * when it is sent.
 */
const knownVary: ReadonlySet<string> = new Set(['accept-encoding', 'accept-language']);

/** Whether what is asked for may be answered from the cache at all; undefined: it may. */
export function bypassOfRequest(
  method: string,
  headers: { readonly authorization?: string | undefined; readonly range?: string | undefined },
  usesAuth: boolean,
): BypassReason | undefined {
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  return usesAuth || headers.authorization !== undefined ? 'auth' : undefined;
}

/** For how many seconds an answer is kept, or why it is not. RFC 9111, section 3. */
export function freshnessOf({
  status,
  headers,
  body,
}: RenderedPage): { readonly seconds: number } | { readonly reason: BypassReason } {
  const all = (name: string) =>
    headers.filter(([one]) => one.toLowerCase() === name).flatMap(([, value]) => value.split(','));
  if (!keptStatuses.has(status)) return { reason: 'status' };
  if (headers.some(([name]) => name.toLowerCase() === 'set-cookie')) return { reason: 'set_cookie' };
  const control = directivesOf(all('cache-control'));
  if (control.size === 0) return { reason: 'no_cache_control' };
  if (['private', 'no-store', 'no-cache'].some((one) => control.has(one))) return { reason: 'not_cacheable' };
  const seconds = secondsOf(control.get('s-maxage') ?? control.get('max-age'));
  if (seconds === 0) return { reason: 'not_cacheable' };
  const vary = all('vary').map((one) => one.trim().toLowerCase());
  if (vary.some((one) => one !== '' && !knownVary.has(one))) return { reason: 'unsupported_vary' };
  const headerBytes = headers.reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
  if (body.length > pageBytesMax || headerBytes > headerBytesMax) return { reason: 'too_large' };
  return { seconds };
}

function directivesOf(list: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const one of list) {
    const [name = '', value = ''] = one.split('=');
    if (name.trim() !== '') found.set(name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return found;
}

/** What is no number of seconds is taken for none. RFC 9111, section 4.2.1. */
const secondsOf = (value: string | undefined): number =>
  value !== undefined && /^\d{1,10}$/.test(value) ? Math.min(Number(value), keptSecondsMax) : 0;
