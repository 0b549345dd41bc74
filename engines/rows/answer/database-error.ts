import { shortText } from '../../../core/short-text.ts';
import { withoutPaths } from '../../../core/without-paths.ts';
import { RowError, refusals } from '../errors.ts';
import { settableHeaders } from './tenant-response.ts';

/** What PostgreSQL says when it refuses. */
export interface DatabaseRefusal {
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
}

const exact: Readonly<Record<string, number>> = {
  // PostgreSQL 18 says so of `on delete restrict`, of which those before it said 23503.
  '23001': 409,
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42883': 404,
  '42P01': 404,
  '53400': 500,
  '57P01': 503,
  P0001: 400,
};

/** By how a code begins. Contract 01, section 2.5. */
const beginnings: readonly (readonly [string, number])[] = [
  ['08', 503],
  ['53', 503],
  ['09', 500],
  ['0L', 403],
  ['0P', 403],
  ['25', 500],
  ['28', 403],
  ['2D', 500],
  ['38', 500],
  ['39', 500],
  ['3B', 500],
  ['40', 500],
  ['54', 500],
  ['55', 500],
  ['57', 500],
  ['58', 500],
  ['F0', 500],
  ['HV', 500],
  ['P0', 500],
  ['XX', 500],
];

/** A refusal of the database as an answer; its own words are passed on. @param anonymous no user is signed in */
export function databaseError(refusal: DatabaseRefusal, anonymous: boolean): RowError {
  const { code } = refusal;
  if (code === 'PGRST') return raised(refusal.message, refusal.detail);
  const told = (text: string) => shortText(withoutPaths(code, text));
  const message = told(refusal.message);
  const [detail, hint] = [refusal.detail, refusal.hint].map((text) => text && told(text));
  const status = statusOf(code, message, anonymous);
  const headers: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return new RowError(status, code, message, { details: detail ?? null, hint: hint ?? null, headers });
}

function statusOf(code: string, message: string, anonymous: boolean): number {
  if (code === '42501') return anonymous ? 401 : 403;
  if (code === '21000') return message.endsWith('requires a WHERE clause') ? 400 : 500;
  if (code.startsWith('PT')) {
    const status = Number(code.slice(2));
    return status >= 200 && status <= 599 ? status : 500;
  }
  return exact[code] ?? beginnings.find(([start]) => code.startsWith(start))?.[1] ?? 400;
}

const messageHint =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
const detailHint =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";

/** `raise sqlstate 'PGRST'`: the message is the body and the detail tells status and headers, both as JSON. */
function raised(message: string, detail: string | undefined): RowError {
  const body = objectOf(message);
  if (typeof body?.code !== 'string' || typeof body.message !== 'string')
    return refusals.raise(`Invalid JSON value for MESSAGE: '${shortText(message)}'`, messageHint);
  if (detail === undefined) return refusals.raise('DETAIL is missing in the RAISE statement', detailHint);
  const meta = objectOf(detail);
  const { status, headers } = meta ?? {};
  const known = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
  if (!known || typeof headers !== 'object' || headers === null)
    return refusals.raise(`Invalid JSON value for DETAIL: '${shortText(detail)}'`, detailHint);
  const texts = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new RowError(status, shortText(body.code), shortText(body.message), {
    details: shortDetails(body.details),
    hint: typeof body.hint === 'string' ? shortText(body.hint) : null,
    headers: settableHeaders(Object.fromEntries(texts)),
  });
}

/** What is read is cut only once it is read; what is too long to be told whole is told as text. */
function shortDetails(details: unknown): unknown {
  const text = typeof details === 'string' ? details : JSON.stringify(details ?? null);
  const short = shortText(text);
  return short === text ? details : short;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
