import type { Side } from './side.ts';

/** What differs between two runs of the same build, and so is compared by its kind or its references. */

const time = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?(?!\d)`;
const httpDate = String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT`;
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const pieces = new RegExp(`${time}|${httpDate}|${uuid}|[\\w-]+|[^\\w]`, 'g');
const isTime = new RegExp(`^(?:${time}|${httpDate})$`);
const isUuid = new RegExp(`^${uuid}$`);

/** A reference to a row: the same one has to be meant on both sides. */
type Kind = 'time' | 'id' | 'token' | 'position';

function kindOf(text: string): Kind | undefined {
  if (isTime.test(text) || /^1[78]\d{8}(?:\d{3}){0,2}$/.test(text)) return 'time';
  // How far live hints have come, which depends on the moment.
  if (/^lcr_/.test(text)) return 'position';
  if (isUuid.test(text) || /^[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return 'id';
  // A part of a longer id, and a code that is read aloud.
  if (/^(p-)?[0-9a-f]{12,}$/.test(text) || /^[A-Z0-9]{4}-[A-Z0-9]{4}$/.test(text)) return 'token';
  if (/^[a-z]{3,4}_(?=.*[A-Z])[\w-]{20,}$/.test(text)) return 'token';
  if (text.length >= 10 && /\d/.test(text) && changes(text) >= 3) return 'token';
  // A token without a digit.
  if (text.length >= 16 && changes(text) >= text.length * 0.35) return 'token';
  return undefined;
}

const prefixOf = (id: string) => /^[a-z]+_/.exec(id)?.[0];

const classOf = (letter: string) =>
  /[a-z]/.test(letter) ? 'a' : /[A-Z]/.test(letter) ? 'A' : /\d/.test(letter) ? '0' : '_';

function changes(text: string): number {
  let count = 0;
  for (let at = 1; at < text.length; at++) if (classOf(text[at]!) !== classOf(text[at - 1]!)) count += 1;
  return count;
}

/** How much longer one token may be than the other that stands in its place. */
const lengthMay = 6;

/**
 * Numbers that are measured or counted down, each by the name of its member. Requests are among them: one that is asked
 * again for its rate counts twice.
 */
const measured: readonly (readonly [RegExp, string])[] = [
  [/^(ratelimit-[a-z]+|x-ratelimit-[a-z]+|retry-after|age): .*$/gim, '$1: <number>'],
  [
    /(\\*"(?:retry_after(?:_seconds)?|retryAfter|retryAfterSeconds|expires_in|expiresIn|uptime_s|uptimeS|uptime_seconds|uptimeSeconds|uptime|duration_ms|durationMs|took_ms|latency_ms|elapsed_ms|waited_ms|waitedMs|storage_bytes|storageBytes|total_storage_bytes|totalStorageBytes|database_bytes|api_calls|apiCalls|total_api_calls|totalApiCalls|row_estimate|rowEstimate)\\*":\s*)(?:[\d.]+|null)/g,
    '$1<number>',
  ],
  // A project without a name of its own, and who speaks without one.
  [/(\\*"name\\*":\s*\\*")[a-z]+ [a-z]+(?=\\*")/g, '$1<two words>'],
  // The end of a key, which is all that is shown of it.
  [/\beyJhbG…[\w-]{4}/g, '<key>'],
  // A mailed code, and a file of the console that is named by its contents.
  [/(code:(?:\\n|\s)+)\d{6}\b/g, '$1<code>'],
  [/(\/assets\/[\w-]+?)-[\w-]{8}(?=\.(?:js|css))/g, '$1-<hash>'],
  [/\bin \d+ (?:seconds?|s)\b/g, '<wait>'],
];

/** A side's answer without its address and folders. */
export function withoutPlace(text: string, { url, home, checkout }: Side): string {
  const { port } = new URL(url);
  const sorted = text.replace(/^\{"errors":\[.+$/m, withSortedErrors);
  let plain = sorted.replaceAll(`:${port}`, ':<port>').replaceAll(home, '<home>');
  if (checkout !== undefined) plain = plain.replaceAll(checkout, '<checkout>');
  for (const [expression, shown] of measured) plain = plain.replaceAll(expression, shown);
  return plain;
}

/** Fields of one request fail in an order of their own each time; GraphQL has none for its errors. */
function withSortedErrors(body: string): string {
  try {
    const answer = JSON.parse(body) as { errors: readonly { readonly path?: unknown; readonly message: string }[] };
    if (answer.errors.length < 2) return body;
    const nameOf = ({ path, message }: (typeof answer.errors)[number]) => JSON.stringify([path, message]);
    return JSON.stringify({ ...answer, errors: answer.errors.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) });
  } catch {
    return body;
  }
}

/** Which ids and tokens of one side stand for which of the other. */
export class References {
  readonly #ofOld = new Map<string, string>();
  readonly #ofNew = new Map<string, string>();
  readonly #shown = new Map<string, string>();

  /**
   * Whether two answers say the same, and refer to the same. What they bring up for the first time is kept, up to where
   * they begin to differ.
   */
  same(old: string, next: string): boolean {
    if (old === next) return true;
    const [left, right] = [old.match(pieces) ?? [], next.match(pieces) ?? []];
    for (const [at, one] of left.entries()) {
      const other = right[at];
      if (one === other) continue;
      if (other === undefined || !this.#mayStandFor(one, other)) return false;
      if (kindOf(one) === 'id' || kindOf(one) === 'token') this.#keep(one, other);
    }
    return left.length === right.length;
  }

  #mayStandFor(old: string, next: string): boolean {
    const kind = kindOf(old);
    if (kind === undefined || kind !== kindOf(next)) return false;
    if (kind === 'time' || kind === 'position') return true;
    if (kind === 'id' && prefixOf(old) !== prefixOf(next)) return false;
    return Math.abs(old.length - next.length) <= lengthMay && this.#mayMean(old, next);
  }

  #mayMean(old: string, next: string): boolean {
    const [known, back] = [this.#ofOld.get(old), this.#ofNew.get(next)];
    return (known === undefined && back === undefined) || (known === next && back === old);
  }

  #keep(old: string, next: string): void {
    if (this.#ofOld.has(old)) return;
    this.#ofOld.set(old, next);
    this.#ofNew.set(next, old);
    const name = `<${kindOf(old)} ${this.#ofOld.size}>`;
    this.#shown.set(old, name).set(next, name);
  }

  /** An answer with placeholders: the same one for what was seen to be the same. */
  masked(text: string): string {
    const shown = (text.match(pieces) ?? []).map((one) => {
      const known = this.#shown.get(one);
      if (known !== undefined) return known;
      return kindOf(one) === 'time' ? '<time>' : one;
    });
    return shown.join('');
  }
}

/** An answer without what describes inputs to people, so that a change of these texts hides no other. */
export const withoutDescriptions = (text: string): string =>
  text
    .replaceAll(/"description":(?:null|"(?:[^"\\]|\\.)*")(?:,\s*)?/g, '')
    .replaceAll(/,(?=})/g, '')
    .replaceAll(/^etag: .*$/gim, 'etag: <of the text>');
