import { createHmac } from 'node:crypto';
import { environment, requestOf } from './context.ts';
import { adminDb } from './db.ts';
import { AnsweredError } from './errors.ts';
import { ask } from './gateway.ts';

/** A signed-in user of the project. */
export interface User {
  readonly id: string;
}

/** Where roles stand, for a function without a gate of its own. */
export interface RoleTable {
  readonly table: string;
  /** @default 'user_id' */
  readonly idColumn?: string;
  /** @default 'role' */
  readonly roleColumn?: string;
}

export interface RoleOptions {
  /** @default what the gate of the function has found out */
  readonly from?: RoleTable;
}

export interface FreshOptions {
  /** How long ago the user may have signed in: seconds, or for example `5m`. */
  readonly maxAge: number | string;
  /** A way of signing in that has to be among those of the session, for example `passkey`. @default any */
  readonly amr?: string;
}

const refusal = (code: string, status: number, message: string) =>
  new AnsweredError(`SVC_AUTH_${code}`, message, { status });

/** The user who calls, as the platform has found out; null for anybody else. */
export function user(): User | null {
  const id = requestOf('auth.user').headers.get('x-svc-user-id');
  return id === null ? null : { id };
}

/**
 * The user who calls. A request that changes something and comes with a cookie has to come from a page of its own host.
 *
 * @throws AnsweredError SVC_AUTH_REQUIRED, SVC_AUTH_CSRF_ORIGIN_MISMATCH, SVC_AUTH_CSRF_TOKEN_MISMATCH
 */
export function requireUser(): User {
  const found = user();
  if (found === null) throw refusal('REQUIRED', 401, 'Sign in first.');
  refuseForged(requestOf('auth.requireUser'), found);
  return found;
}

const harmless: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** A page of another host can have a browser send its cookies, and no token. */
function refuseForged(request: Request, { id }: User): void {
  const { headers, method, url } = request;
  if (harmless.includes(method) || /^Bearer /i.test(headers.get('authorization') ?? '')) return;
  const origin = headers.get('origin');
  const isOwn = origin === null ? headers.get('sec-fetch-site') === 'same-origin' : origin === new URL(url).origin;
  if (!isOwn) throw refusal('CSRF_ORIGIN_MISMATCH', 403, 'The request comes from a page of another host.');
  const token = headers.get('x-csrf-token');
  if (token !== null && token !== tokenOf(id))
    throw refusal('CSRF_TOKEN_MISMATCH', 403, 'The token of the form is of another user, or made up.');
}

const tokenOf = (id: string): string =>
  createHmac('sha256', environment('SVC_SERVICE_KEY')).update(`${id}:csrf`).digest('hex').slice(0, 32);

/** What proves that a form was made for the user. @throws AnsweredError SVC_AUTH_REQUIRED */
export function csrfToken(): string {
  const found = user();
  if (found === null) throw refusal('REQUIRED', 401, 'Sign in first.');
  return tokenOf(found.id);
}

/** The same as a hidden field `_csrf` of a form. */
export const csrfField = (): string => `<input type="hidden" name="_csrf" value="${csrfToken()}">`;

/** Looks at the field `_csrf` of a form. @throws AnsweredError SVC_AUTH_REQUIRED, SVC_AUTH_CSRF_TOKEN_MISMATCH */
export function checkCsrf(form: FormData): void {
  if (form.get('_csrf') !== csrfToken())
    throw refusal('CSRF_TOKEN_MISMATCH', 403, 'The token of the form is of another user, or made up.');
}

/** The role of the user who calls; null for a user without one, and for anybody else. */
export async function role({ from }: RoleOptions = {}): Promise<string | null> {
  if (from === undefined) return requestOf('auth.role').headers.get('x-svc-user-role');
  const found = user();
  if (found === null) return null;
  const { table, idColumn = 'user_id', roleColumn = 'role' } = from;
  const row = await adminDb().from(table).select(roleColumn).eq(idColumn, found.id).limit(1).maybeSingle();
  const held = row?.[roleColumn];
  return typeof held === 'string' ? held : null;
}

/**
 * The user who calls, if their role is one of these.
 *
 * @throws AnsweredError SVC_AUTH_REQUIRED, SVC_AUTH_ROLE_GATE_NOT_CONFIGURED where nothing tells roles,
 * SVC_AUTH_INSUFFICIENT_ROLE
 */
export async function requireRole(
  allowed: string | readonly string[],
  options: RoleOptions = {},
): Promise<User & { readonly role: string }> {
  const found = requireUser();
  const held = await role(options);
  if (held === null && options.from === undefined)
    throw refusal('ROLE_GATE_NOT_CONFIGURED', 500, 'The function has no gate of roles, and the call names no table.');
  if (held === null || ![allowed].flat().includes(held))
    throw refusal('INSUFFICIENT_ROLE', 403, 'The role of the user is none of those that may do this.');
  return { ...found, role: held };
}

/** @throws AnsweredError SVC_AUTH_MEMBERSHIP_GATE_NOT_WIRED always */
export function requireMembership(): never {
  throw refusal('MEMBERSHIP_GATE_NOT_WIRED', 501, 'Projects have no memberships.');
}

/**
 * The user who calls, if they have signed in so lately. It reads the access token of the request, which the gateway is asked
 * about: a session of a cookie does not tell, and is refused.
 *
 * @throws AnsweredError SVC_AUTH_REQUIRED, SVC_AUTH_FRESHNESS_REQUIRED
 */
export async function requireFresh({ maxAge, amr }: FreshOptions): Promise<User> {
  const found = requireUser();
  const stale = refusal('FRESHNESS_REQUIRED', 401, 'Sign in again to do this.');
  const authorization = requestOf('auth.requireFresh').headers.get('authorization') ?? '';
  const claims = claimsOf(authorization);
  if (claims?.sub !== found.id) throw stale;
  // What the token says counts only when the gateway takes it.
  await ask({ path: '/auth/v1/user', headers: { apikey: environment('SVC_ANON_KEY'), authorization } }).catch(() => {
    throw stale;
  });
  const age = Date.now() / 1_000 - claims.auth_time;
  if (!(age <= secondsOf(maxAge)) || (amr !== undefined && !claims.amr.includes(amr))) throw stale;
  return found;
}

interface Claims {
  readonly sub: string;
  /** In seconds since 1970. */
  readonly auth_time: number;
  readonly amr: readonly string[];
}

function claimsOf(authorization: string): Claims | undefined {
  const [, payload] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]+$/i.exec(authorization) ?? [];
  if (payload === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  } catch {
    return undefined;
  }
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** @throws TypeError for what is no duration */
export function secondsOf(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  const [, count, unit] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  if (unit === undefined) throw new TypeError(`${duration} is no duration such as 30s, 5m, 2h or 1d.`);
  return Number(count) * units[unit]!;
}

/**
 * Asks a page of the same host, as anybody: no cookie goes along, and redirects are not followed.
 *
 * @param path from the first slash
 * @throws AnsweredError SVC_AUTH_FETCH_ABSOLUTE_URL
 */
export function fetchOwn(path: string, init: RequestInit = {}): Promise<Response> {
  const { url } = requestOf('auth.fetch');
  if (!/^\/(?![/\\])/.test(path))
    throw refusal('FETCH_ABSOLUTE_URL', 500, 'auth.fetch takes a path of the same host, from its first slash.');
  const headers = new Headers(init.headers);
  headers.delete('cookie');
  return fetch(new URL(path, url), { ...init, headers, redirect: 'manual' });
}
