import { Resolver } from 'node:dns/promises';

/**
 * What a name has of one kind. `absent`: the name, or that kind of record, does not exist. `unavailable`: no server gave an
 * answer that counts, so nothing is known.
 */
export type Found<Value> =
  | { readonly state: 'found'; readonly values: readonly Value[] }
  | { readonly state: 'absent' }
  | { readonly state: 'unavailable' };

/** What was found, as a list: empty where there is nothing, or nothing is known. */
export const valuesOf = <Value>(found: Found<Value>): readonly Value[] => (found.state === 'found' ? found.values : []);

/** Asks the domain name system. No method throws. */
export interface DnsResolver {
  /** Texts of the TXT records of a name, each joined from its parts. */
  readonly texts: (name: string) => Promise<Found<string>>;
  /** Where the name itself is an alias of. */
  readonly alias: (name: string) => Promise<Found<string>>;
  /** IPv4 and IPv6 addresses of a name, those that its aliases lead to among them. */
  readonly addresses: (name: string) => Promise<Found<string>>;
  /** Mail servers of a name. One that says outright that it takes no mail (RFC 7505) has none. */
  readonly exchangers: (name: string) => Promise<Found<string>>;
  /** Whether a zone begins at the name, where no alias may stand (RFC 1912, section 2.4). */
  readonly beginsZone: (name: string) => Promise<boolean>;
}

export interface DnsResolverOptions {
  /** Addresses of servers, each with or without a port. @default those of the system */
  readonly servers?: readonly string[] | undefined;
  /** How long each try waits for a server, in milliseconds. @default 2_000 */
  readonly timeoutMs?: number;
}

/** Codes that say that there is nothing, rather than that nobody knows. */
const absentCodes: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND']);

/** A resolver that keeps nothing: each question is asked anew, by two tries of each server. */
export function createDnsResolver({ servers, timeoutMs = 2_000 }: DnsResolverOptions = {}): DnsResolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);

  return {
    texts: (name) => found(async () => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))),
    alias: (name) => found(async () => (await resolver.resolveCname(name)).map(plainName)),
    async addresses(name) {
      const both = await Promise.all([found(() => resolver.resolve4(name)), found(() => resolver.resolve6(name))]);
      if (both.some(({ state }) => state === 'unavailable')) return { state: 'unavailable' };
      const values = both.flatMap((one) => (one.state === 'found' ? one.values : []));
      return values.length === 0 ? { state: 'absent' } : { state: 'found', values };
    },
    async exchangers(name) {
      const all = await found(() => resolver.resolveMx(name));
      if (all.state !== 'found') return all;
      const values = all.values.map(({ exchange }) => plainName(exchange)).filter((one) => one !== '');
      return values.length === 0 ? { state: 'absent' } : { state: 'found', values };
    },
    beginsZone: async (name) => (await found(async () => [await resolver.resolveSoa(name)])).state === 'found',
  };
}

async function found<Value>(ask: () => Promise<readonly Value[]>): Promise<Found<Value>> {
  try {
    const values = await ask();
    return values.length === 0 ? { state: 'absent' } : { state: 'found', values };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return { state: absentCodes.has(code) ? 'absent' : 'unavailable' };
  }
}

/** A name in lower case, without the final dot. */
const plainName = (name: string) => name.toLowerCase().replace(/\.$/, '');
