import type { lookup as systemLookup } from 'node:dns';
import { createGuardedFetch, type GuardedFetch, GuardedFetchError } from '../../core/guarded-fetch.ts';
import type { DnsResolver } from '../dns/resolver.ts';

/** A page of a host, as its visitors ask for it. */
export interface ProbedPage {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The host lies below the platform's domain: where it leads is the operator's choice, and not a tenant's. */
  readonly isPlatforms: boolean;
  /** As it is sent. */
  readonly path: string;
  /** Whether the bytes are asked for, too. */
  readonly withBody: boolean;
  /** @default GET with the bytes, and HEAD without */
  readonly method?: string;
  /** How long an answer is waited for, in milliseconds. @default 4_000 */
  readonly timeoutMs?: number;
}

/** What a host answered, or why it did not. */
export type ProbeAnswer =
  | { readonly response: Response; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: GuardedFetchError['reason'] };

/** Asks hosts of projects for their pages, the way that visitors come: by their public names. */
export interface HostProbe {
  /** Never throws. */
  readonly ask: (page: ProbedPage, signal: AbortSignal) => Promise<ProbeAnswer>;
}

export interface HostProbeOptions {
  /** Finds domains of projects, which lie wherever their owners say. */
  readonly dns: Pick<DnsResolver, 'addresses'>;
  /** Addresses that the operator named as the gateway's own: they may lie in a private network. */
  readonly ownAddresses?: readonly string[] | undefined;
}

/** How long an answer is waited for, in milliseconds, unless told. */
const timeoutMsUsual = 4_000;
/** Largest page that is read, in bytes. */
export const probedBytesMax = 256 * 1024;

/** A probe that follows no redirect, and goes to no private network but the operator's own hosts. */
export function createHostProbe({ dns, ownAddresses = [] }: HostProbeOptions): HostProbe {
  const fetchFor = ({ origin, isPlatforms, withBody, timeoutMs = timeoutMsUsual }: ProbedPage): GuardedFetch => {
    const limits = { timeoutMs, bytesMax: probedBytesMax + 1, readsBody: withBody };
    return isPlatforms
      ? createGuardedFetch({ ...limits, named: [origin], resolve: isLocal(origin) ? resolveHere : undefined })
      : createGuardedFetch({ ...limits, resolve: resolveBy(dns), namedAddresses: ownAddresses });
  };
  return {
    async ask(page, signal) {
      try {
        const response = await fetchFor(page)(new URL(page.origin + page.path), {
          method: page.method ?? (page.withBody ? 'GET' : 'HEAD'),
          // A visitor who asks whether there is something newer.
          headers: { 'cache-control': 'max-age=0' },
          signal,
        });
        return { response };
      } catch (error) {
        if (error instanceof GuardedFetchError) return { error: error.reason };
        throw error;
      }
    },
  };
}

const isLocal = (origin: string): boolean => new URL(origin).hostname.endsWith('.localhost');

const here = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Names below `localhost` are this machine's (RFC 6761), which not every system's resolver knows. */
const resolveHere = ((_host: string, _options: object, done: (...found: unknown[]) => void) =>
  done(null, here)) as typeof systemLookup;

/** Looks names up as the gateway does that checks domains. */
const resolveBy = (dns: Pick<DnsResolver, 'addresses'>): typeof systemLookup =>
  ((host: string, _options: object, done: (...found: unknown[]) => void) => {
    void dns.addresses(host).then((found) => {
      if (found.state !== 'found') return done(new Error(`The name leads nowhere: ${found.state}.`));
      return done(
        null,
        found.values.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    });
  }) as unknown as typeof systemLookup;
