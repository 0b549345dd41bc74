import { isIP } from 'node:net';
import { z } from 'zod';

/** A text in which `read` recognises something; `must` completes a sentence that begins with the variable's name. */
export const parsed = <Value>(must: string, read: (value: string) => Value | undefined) =>
  z
    .string()
    .transform((value, check) => {
      const result = read(value);
      if (result !== undefined) return result;
      check.addIssue({ code: 'custom', message: `must be ${must}` });
      return z.NEVER;
    })
    .optional();

export function urlOf(value: string, ...schemes: readonly string[]): URL | undefined {
  const url = URL.parse(value);
  return url !== null && schemes.includes(url.protocol.slice(0, -1)) && url.hostname !== '' ? url : undefined;
}

/** Postgres URLs may leave the host to the query (`?host=/run/postgresql`), so only the scheme is asked. */
export function postgresUrl(value: string): string | undefined {
  return /^postgres(ql)?:\/\//.test(value) && URL.parse(value) !== null ? value : undefined;
}

export function webUrl(value: string): string | undefined {
  const url = urlOf(value, 'http', 'https');
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '') return undefined;
  return url.href.replace(/\/+$/, '');
}

/** An address and a port, such as `0.0.0.0:25` or `[::]:25`; the port alone means every interface. */
export function listenAddress(value: string): { readonly host: string; readonly port: number } | undefined {
  const [, host, port] = /^(?:(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):)?(\d{1,5})$/.exec(value) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: host?.replace(/^\[|\]$/g, '') ?? '0.0.0.0', port: Number(port) };
}

/** Origins as browsers name them, separated by commas; `*` is any. */
export function webOrigins(value: string): readonly string[] | undefined {
  const origins = value.split(',').map((one) => one.trim());
  const isOrigin = (one: string) => one === '*' || (webUrl(one) !== undefined && new URL(one).pathname === '/');
  return origins.every(isOrigin) ? origins.map((one) => (one === '*' ? one : new URL(one).origin)) : undefined;
}

/** Host names separated by commas, in lower case. */
export function hostNames(value: string): readonly string[] | undefined {
  const names = value.split(',').map((one) => one.trim().toLowerCase().replace(/\.$/, ''));
  return names.every((one) => one.length <= 253 && /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(one)) ? names : undefined;
}

/** Lists of origins by key: `docs=https://a.example https://b.example,intranet=https://c.example`. */
export function originCatalogue(value: string): ReadonlyMap<string, readonly string[]> | undefined {
  const catalogue = new Map<string, readonly string[]>();
  for (const entry of value.split(',')) {
    const [, key, list] = /^\s*([a-z][a-z0-9_-]{0,63})=(\S[^,]*)$/.exec(entry) ?? [];
    const origins = list === undefined ? undefined : webOrigins(list.trim().split(/\s+/).join(','));
    if (key === undefined || origins === undefined || origins.includes('*') || catalogue.has(key)) return undefined;
    catalogue.set(key, origins);
  }
  return catalogue;
}

export function projectServers(value: string): Record<string, string> | undefined {
  const servers = new Map<string, string>();
  for (const entry of value.split(',')) {
    const [, name, url] = /^\s*([a-z][a-z0-9_-]{0,31})=(\S+)\s*$/.exec(entry) ?? [];
    if (name === undefined || url === undefined || servers.has(name) || postgresUrl(url) === undefined)
      return undefined;
    servers.set(name, url);
  }
  return Object.fromEntries(servers);
}

export const adminKeyCharactersMin = 24;

export const readAdminKey = (value: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(value) && value.length >= adminKeyCharactersMin ? value : undefined;

/** Exactly 32 bytes, as 64 hexadecimal digits, base64 or base64url. A key of one repeated byte is no secret. */
export function readSecretKey(value: string): Buffer | undefined {
  const hex = /^[0-9a-f]{64}$/i.test(value);
  if (!hex && !/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) return undefined;
  const key = Buffer.from(value, hex ? 'hex' : 'base64');
  return key.length === 32 && new Set(key).size > 1 ? key : undefined;
}

export const secretKey = () =>
  parsed('32 random bytes, written as 64 hexadecimal digits or as base64 (try: openssl rand -hex 32)', readSecretKey);

const oidcProvider = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/),
  issuer: z.string().max(2_048),
  client_id: z.string().min(1).max(512),
  client_secret: z.string().min(1).max(2_048),
  display_name: z.string().min(1).max(64),
});

/** A provider that project users sign in with. */
export interface OidcProvider {
  readonly id: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly displayName: string;
}

/** A JSON list of providers, each with an id of its own. Plain http is for issuers on this machine. */
export function oidcProviders(value: string): readonly OidcProvider[] | undefined {
  let given: unknown;
  try {
    given = JSON.parse(value);
  } catch {
    return undefined;
  }
  const { data } = z.array(oidcProvider).min(1).max(20).safeParse(given);
  if (data === undefined || new Set(data.map(({ id }) => id)).size < data.length) return undefined;
  if (!data.every(({ issuer }) => isIssuer(issuer))) return undefined;
  return data.map(({ id, issuer, client_id, client_secret, display_name }) => ({
    id,
    issuer,
    clientId: client_id,
    clientSecret: client_secret,
    displayName: display_name,
  }));
}

function isIssuer(issuer: string): boolean {
  const url = urlOf(issuer, 'https', 'http');
  if (url === undefined || webUrl(issuer) === undefined) return false;
  return url.protocol === 'https:' || isLoopbackHost(url.hostname);
}

const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Tags of a TON address that people write, on the main network: one whose messages bounce, and one whose do not. */
const tonTags: ReadonlySet<number> = new Set([0x11, 0x51]);

/** An account of TON's main network in any of its spellings: raw, or 48 characters that end with their checksum. */
export function tonAddress(value: string): string | undefined {
  if (/^(0|-1):[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  if (!/^[A-Za-z0-9+/_-]{48}$/.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64');
  return tonTags.has(bytes[0]!) && crc16(bytes) === 0 ? value : undefined;
}

/** CRC-16 as of XMODEM, which is 0 over bytes that end with their own. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return crc;
}

/** IP addresses, separated by commas. */
export function ipAddresses(value: string): readonly string[] | undefined {
  const all = value.split(',').map((one) => one.trim());
  return all.every((one) => isIP(one) !== 0) ? all : undefined;
}

/** IP addresses of name servers, separated by commas; one of IPv6 with a port stands in brackets. */
export function dnsServers(value: string): readonly string[] | undefined {
  const all = value.split(',').map((one) => one.trim());
  return all.every(isDnsServer) ? all : undefined;
}

function isDnsServer(text: string): boolean {
  const [, address = text, port = '53'] = /^(\[[^\]]+\]|[\d.]+):(\d{1,5})$/.exec(text) ?? [];
  return isIP(address.replace(/^\[|\]$/g, '')) !== 0 && Number(port) > 0 && Number(port) <= 65_535;
}
