import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { invalidField, ServiceError } from '../core/errors.ts';
import { Lru } from '../core/lru.ts';
import { networkOf } from '../core/network-of.ts';
import type { Caller } from '../kernel/access/caller.ts';
import type { Credentials } from '../kernel/access/credentials.ts';
import { addressRate, badSignatureTokens } from '../kernel/limits/limits.ts';
import { assertWithinRate } from '../kernel/limits/rate-limit.ts';
import type { Context, Services } from '../kernel/run/context.ts';
import { calledByKey, Subject } from '../kernel/traffic/subject.ts';
import { renewCaller, resolveCaller } from '../resolvers/identity/shared/resolve-caller.ts';
import { browserCaller, browserProofOf } from './browser-caller.ts';

/** What a transport knows of a request before anything is decided. */
export interface RequestInfo {
  readonly credentials: Credentials;
  readonly traceId: string;
  readonly causedBy?: string | undefined;
  readonly address: string;
  /** Scheme and host as the client named them. */
  readonly baseUrl: string;
  /** The client named a host that is not known to be this server's: no signature for it is for this server. */
  readonly strangeHost?: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly writeApproval?: string | undefined;
  readonly signal: AbortSignal;
  readonly onOwnerResolved?: (projectId: string) => void;
  readonly onProjectResolved?: (projectId: string) => void;
  /** @default one that is counted nowhere */
  readonly subject?: Subject;
  readonly setHeader?: Context['setHeader'];
  readonly paymentContext?: Context['paymentContext'];
}

/**
 * The context that surfaces hand to operations. No caller is asked who they are until an operation wants to know; then the
 * address is charged before the credential is looked at, since looking costs more than sending.
 *
 * A request with a project's own key counts as a call of the project, once, however many operations it asks for; so
 * does each operation that comes through a socket.
 *
 * @param known who opened the socket that the operation came through
 */
export function createContext(services: Services, arrival: RequestInfo, known?: Caller): Context {
  let caller: Promise<Caller> | undefined;
  let presumed: string | undefined;
  const told: ((principalId: string) => void)[] = [];
  let charged = false;
  const { credentials, signal, traceId, causedBy, address, baseUrl, strangeHost, idempotencyKey, writeApproval } =
    arrival;
  const { onOwnerResolved, onProjectResolved, setHeader, paymentContext, subject = new Subject() } = arrival;
  const { rateLimiter, settings } = services;
  const network = networkOf(address);
  const bucket = `address:${network}`;
  const named = settings.publicBaseUrl ?? (strangeHost === true ? undefined : baseUrl);
  const signedHost = named === undefined ? undefined : hostOf(named);

  function chargeAddress(): void {
    assertWithinRate(rateLimiter.take(bucket, addressRate));
    charged = true;
  }

  async function resolve(): Promise<Caller> {
    chargeAddress();
    const journey = { host: signedHost, network };
    try {
      const found =
        credentials.browser !== undefined
          ? await browserCaller(services, credentials.browser, named === undefined ? undefined : new URL(named).origin)
          : known === undefined
            ? await resolveCaller(services, credentials, journey, presume)
            : await renewCaller(services, known, credentials, journey, presume);
      if (found.kind === 'admin') onAdmitted();
      if (found.kind === 'project_key') {
        services.usage.count(found);
        subject.admit(found.projectId, calledByKey(found.role));
      }
      return found;
    } catch (error) {
      if (known === undefined && isBadSignature(error)) rateLimiter.charge(bucket, addressRate, badSignatureTokens - 1);
      throw error;
    }
  }

  function presume(principalId: string): void {
    presumed = principalId;
    for (const tell of told) tell(principalId);
  }

  function onAdmitted(): void {
    if (charged) rateLimiter.charge(bucket, addressRate, -1);
    charged = false;
  }

  const context: { -readonly [Name in keyof Context]: Context[Name] } = {
    services,
    signal,
    request: { traceId, causedBy, address, baseUrl, signedHost, idempotencyKey, writeApproval },
    onAdmitted,
    subject,
    answered: { bytes: 0, values: 0 },
    credentials,
    withCredentials: (others) => createContext(services, { ...arrival, credentials: others }, known),
    chargeAddress,
    anonymous: isAnonymous(credentials),
    caller: (presuming) => {
      if (presuming !== undefined) {
        if (presumed === undefined) told.push(presuming);
        else presuming(presumed);
      }
      caller ??= resolve();
      return caller;
    },
  };
  // Set rather than spread: each spread copies an object for every request.
  if (onOwnerResolved !== undefined) context.onOwnerResolved = onOwnerResolved;
  if (onProjectResolved !== undefined) context.onProjectResolved = onProjectResolved;
  if (setHeader !== undefined) context.setHeader = setHeader;
  if (paymentContext !== undefined) context.paymentContext = paymentContext;
  return context;
}

const isAnonymous = (credentials: Credentials) =>
  credentials.authorization === undefined &&
  credentials['sign-in-with-x'] === undefined &&
  credentials.apikey === undefined &&
  credentials['x-admin-key'] === undefined &&
  credentials.browser === undefined;

const isBadSignature = (error: unknown) =>
  error instanceof ServiceError && error.code === 'INVALID_AUTH' && error.details?.reason === 'signature_invalid';

/** Headers that decide what a request may do, each with a bit of its own: given twice, it would be open which counts. */
const single: ReadonlyMap<string, number> = new Map(
  [
    'authorization',
    'sign-in-with-x',
    'apikey',
    'x-svc-write-auth',
    'x-admin-key',
    'x-svc-csrf',
    'idempotency-key',
    'payment-signature',
    'x-payment',
    'content-type',
    'host',
  ].map((name, place) => [name, 1 << place]),
);

/** @throws VALIDATION_FAILED that names the header */
export function refuseDuplicateHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let seen = 0;
  // Names and values take turns.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const place = single.get(rawHeaders[at]!) ?? single.get(rawHeaders[at]!.toLowerCase());
    if (place === undefined) continue;
    if ((seen & place) !== 0) {
      const name = rawHeaders[at]!.toLowerCase();
      throw invalidField(name, 'the header is given twice');
    }
    seen |= place;
  }
}

const text = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** The credential of a request: its headers, or else its browser's cookie where a page of this server sends it. */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const credentials: Credentials = {
    authorization: headers.authorization,
    'sign-in-with-x': text(headers['sign-in-with-x']),
    apikey: text(headers.apikey),
    'x-admin-key': text(headers['x-admin-key']),
  };
  if (headers['x-svc-csrf'] === undefined || !isAnonymous(credentials)) return credentials;
  return { browser: browserProofOf(headers) };
}

/** The bearer of `X-Svc-Write-Auth`. */
export const writeApprovalOf = (header: string | string[] | undefined): string | undefined =>
  text(header)?.replace(/^Bearer\s+/i, '');

/** A host name or an address, with or without a port. */
export const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/** The parts of a request's target. */
export interface Target {
  readonly path: string;
  /** What follows the question mark. */
  readonly search: string;
  /** Host of an absolute target, which counts instead of the `Host` header. RFC 9112, section 3.2.2. */
  readonly host: string | undefined;
}

export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): Target {
  if (url.startsWith('/')) {
    const mark = url.indexOf('?');
    return mark === -1
      ? { path: url, search: '', host: undefined }
      : { path: url.slice(0, mark), search: url.slice(mark + 1), host: undefined };
  }
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
  const [path = '', ...rest] = (absolute?.[2] ?? url).split('?');
  return { path: path === '' ? '/' : path, search: rest.join('?'), host: absolute?.[1] };
}

/** @throws VALIDATION_FAILED for a request of HTTP/1.1 without a host */
export function refuseMissingHost({ headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): void {
  if (headers.host !== undefined || httpVersion !== '1.1') return;
  throw invalidField('host', 'the header is missing');
}

/** Longest target of a request to the audit gateway, in bytes. Contract 00, section 6.3. */
const targetBytesMax = 8 * 1024;

/** @throws VALIDATION_FAILED for a target of the audit gateway that is too long */
export function refuseLongTarget({ url = '/' }: Pick<IncomingMessage, 'url'>): void {
  if (url.length <= targetBytesMax) return;
  throw new ServiceError('VALIDATION_FAILED', {
    message: `The address is longer than ${targetBytesMax} bytes.`,
    details: { limit_bytes: targetBytesMax },
  });
}

/**
 * Whether a base URL names this server for certain: as the machine itself, as the configured host, or as the address
 * that the connection came in at. Anything else in a `Host` header is the client's word alone.
 */
function isOwnHost(baseUrl: string, { localAddress = '' }: { localAddress?: string | undefined }, host: string) {
  const name = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  if (/^(.+\.)?localhost$|^127(\.\d+){3}$|^::1$/.test(name)) return true;
  return name === host.toLowerCase() || name === localAddress.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, '');
}

/** Whether the gateway itself speaks TLS on a connection. */
export const isSecure = (socket: object | undefined): boolean =>
  socket !== undefined && 'encrypted' in socket && socket.encrypted === true;

/** Scheme and host of a request. @throws VALIDATION_FAILED for a host that is none */
function baseUrlOf({ url: target, headers, socket }: Pick<IncomingMessage, 'url' | 'headers' | 'socket'>): string {
  const host =
    targetOf({ url: target }).host ?? headers.host ?? `${socket.localAddress ?? '127.0.0.1'}:${socket.localPort ?? 80}`;
  const url = `${isSecure(socket) ? 'https' : 'http'}://${host}`;
  if (!hostPattern.test(host) || URL.parse(url) === null) {
    throw invalidField('host', 'not a host name');
  }
  return url;
}

/**
 * Where a request was sent to, in the client's words.
 *
 * @param host the configured address to listen at
 * @throws VALIDATION_FAILED for a host that is none
 */
export function destinationOf(
  request: Pick<IncomingMessage, 'url' | 'headers' | 'socket'>,
  host: string,
): Pick<RequestInfo, 'baseUrl' | 'strangeHost'> {
  const { url = '/', headers, socket } = request;
  const named = url.startsWith('/') ? headers.host : undefined;
  const asked = named === undefined ? undefined : `${named} ${socket.localAddress} ${host} ${isSecure(socket)}`;
  let destination = asked === undefined ? undefined : destinations.get(asked);
  if (destination === undefined) {
    const baseUrl = baseUrlOf(request);
    destination = { baseUrl, strangeHost: !isOwnHost(baseUrl, socket, host) };
    if (asked !== undefined) destinations.set(asked, destination, asked.length * 4);
  }
  return destination;
}

/** Most requests name the same few hosts. */
const destinations = new Lru<Pick<RequestInfo, 'baseUrl' | 'strangeHost'>>({ entries: 256, bytes: 64 * 1024 });

/** The host of a base URL, as signatures name it. */
function hostOf(baseUrl: string): string {
  let host = hosts.get(baseUrl);
  if (host === undefined) {
    ({ host } = new URL(baseUrl));
    hosts.set(baseUrl, host, baseUrl.length * 4);
  }
  return host;
}

const hosts = new Lru<string>({ entries: 256, bytes: 64 * 1024 });
