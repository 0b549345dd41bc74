import type { ObservedDomain } from '../../../db/schema/hosts.ts';
import { type DnsResolver, valuesOf } from '../../../engines/dns/resolver.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { proofLabel } from './domain-name.ts';
import { type DomainToLookAt, lookAtMail } from './look-mail.ts';

/** The host that every project has from the start, which own domains are aliases of. */
export const targetOf = ({ settings }: Pick<Services, 'settings'>, publicId: string): string =>
  `p-${publicId}.${settings.platformDomain}`;

/**
 * Asks the domain name system about a domain.
 *
 * @param target the host that it has to lead to
 * @returns undefined when something was not answered, so that nothing can be concluded from it
 */
export async function lookAt(
  { dns, settings, now }: Pick<Services, 'dns' | 'settings' | 'now'>,
  { name, desired, token }: DomainToLookAt,
  target: string,
): Promise<ObservedDomain | undefined> {
  const [texts, alias, addresses, targetAddresses, beginsZone, mail] = await Promise.all([
    dns.texts(`${proofLabel}.${name}`),
    dns.alias(name),
    dns.addresses(name),
    addressesOf(dns, settings.hostAddresses, target),
    dns.beginsZone(name),
    lookAtMail(dns, { name, desired, token }),
  ]);
  if (mail === 'unavailable') return undefined;
  if ([texts, alias, addresses].some(({ state }) => state === 'unavailable')) return undefined;
  return {
    at: now().toISOString(),
    texts: valuesOf(texts)
      .filter((text) => text.length <= textLengthMax)
      .slice(0, textsMax),
    alias: valuesOf(alias)[0] ?? null,
    addresses: [...valuesOf(addresses)].sort().slice(0, addressesMax),
    targetAddresses: [...targetAddresses].sort(),
    beginsZone,
    ...(mail === undefined ? {} : { mail }),
  };
}

/** What is kept of one name, which its owner writes: proofs are far shorter. */
const textLengthMax = 255;
const textsMax = 20;
const addressesMax = 32;

async function addressesOf(
  dns: DnsResolver,
  configured: readonly string[] | undefined,
  target: string,
): Promise<readonly string[]> {
  if (configured !== undefined) return configured;
  return valuesOf(await dns.addresses(target));
}
