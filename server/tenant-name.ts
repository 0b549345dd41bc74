import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { invalidField } from '../core/errors.ts';
import { Lru } from '../core/lru.ts';
import { isLocalName } from '../resolvers/auth/redirect-urls.ts';
import { isTrustedPeer, type TrustedProxies } from './client-address.ts';
import { hostPattern, isSecure, targetOf } from './request-context.ts';

export interface TenantNaming {
  readonly platformDomain: string;
  readonly publicBaseUrl: string | undefined;
  /** The configured address to listen at. */
  readonly host: string;
  /** Further names that the API answers under, in lower case. */
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: TrustedProxies | undefined;
}

/** A host that may be a project's. */
export interface TenantName {
  /** In lower case, without a port. */
  readonly name: string;
  /** The origin that browsers know it by. */
  readonly origin: string;
  /** Nothing but a project is ever there: a name below the platform's domain. */
  readonly reserved: boolean;
  /**
   * Neither the API nor the machine itself goes by it, so it is refused unless a project has claimed it: a page that
   * points a name of its own to this server must not speak to it (DNS rebinding).
   */
  readonly foreign: boolean;
}

/**
 * Tells which project's host a request names, by its name alone; undefined for a name of the API's, such as the public
 * base URL's, `localhost`, what the operator allows, and every address: no page has an origin of an address that it does not
 * come from. A forwarded host counts when a trusted proxy says so.
 */
export function tenantNames(naming: TenantNaming): (request: IncomingMessage) => TenantName | undefined {
  const { trustedProxies } = naming;
  const api = new Set(['localhost', naming.host.toLowerCase(), naming.platformDomain, ...naming.allowedHosts]);
  if (naming.publicBaseUrl !== undefined) api.add(nameOf(new URL(naming.publicBaseUrl).hostname));
  const suffix = `.${naming.platformDomain}`;
  // Most requests name the same few hosts.
  const known = new Lru<{ readonly tenant: TenantName | undefined }>({ entries: 1_024, bytes: 256 * 1024 });

  function read(given: string, forwardedSecurely: boolean | undefined): TenantName | undefined {
    if (!hostPattern.test(given)) throw invalidField('host', 'not a host name');
    const name = nameOf(given);
    if (api.has(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0) return undefined;
    const below = name.endsWith(suffix);
    const local = isLocalName(name);
    if (local && !below) return undefined;
    const scheme = local && forwardedSecurely !== true ? 'http' : 'https';
    const url = `${scheme}://${given.toLowerCase().replace(/\.(?=:|$)/, '')}`;
    const parsed = URL.parse(url);
    if (parsed === null) throw invalidField('host', 'not a host name');
    const reserved = below && (naming.platformDomain !== 'localhost' || isGenerated(name));
    return { name, origin: parsed.origin, reserved, foreign: !reserved && !local };
  }

  return (request) => {
    const trusted = isTrustedPeer(request, trustedProxies);
    const given = (trusted ? lastOf(request.headers['x-forwarded-host']) : undefined) ?? hostOf(request);
    if (given === undefined) return undefined;
    const proto = (trusted ? lastOf(request.headers['x-forwarded-proto']) : undefined) ?? ownScheme(request);
    const key = proto === undefined ? given : `${given} ${proto}`;
    let ruling = known.get(key);
    if (ruling === undefined) {
      ruling = { tenant: read(given, proto === undefined ? undefined : /^https$/i.test(proto)) };
      known.set(key, ruling, key.length * 4);
    }
    return ruling.tenant;
  };
}

/** A name that only the platform gives: of a project, or of one of its deployments. */
const isGenerated = (name: string) => /^pr?-/.test(name) || /^dpl-[^.]+\.sites\./.test(name);

/** A name as it is looked up: letter case, port and the final dot of a full name make no other host. */
const nameOf = (given: string) => given.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');

/** Each proxy puts its own word behind what it was told, and the last one is the one that is trusted. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const last = String(header ?? '')
    .split(',')
    .at(-1)!
    .trim();
  return last === '' ? undefined : last;
}

/** The host of an absolute target counts instead of the header. RFC 9112, section 3.2.2. */
const hostOf = (request: IncomingMessage): string | undefined => {
  const { url = '/', headers } = request;
  return url.startsWith('/') ? headers.host : (targetOf(request).host ?? headers.host);
};

/** The scheme, where the gateway itself speaks TLS. */
const ownScheme = ({ socket }: IncomingMessage): 'https' | undefined => (isSecure(socket) ? 'https' : undefined);
