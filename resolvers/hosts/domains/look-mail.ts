import type { DesiredDomain, ObservedMail } from '../../../db/schema/hosts.ts';
import { type DnsResolver, type Found, valuesOf } from '../../../engines/dns/resolver.ts';
import { dkimSelector } from '../../../engines/mail/dkim.ts';
import { subdomainOf, wantedMail } from './desired-mail.ts';

/** What a look has to know of a domain. */
export interface DomainToLookAt {
  readonly name: string;
  readonly desired: DesiredDomain;
  /** Of the domain in its project: the name of its key is made of it. */
  readonly token: string;
}

/** What is kept of one name, which its owner writes. The text of a key of 4,096 bits is shorter. */
const kept = { texts: 5, letters: 1_000, exchangers: 20 } as const;

/** Names above a domain that may hold the policy for it. */
const parentsMax = 4;

/** Asks about the mail of a domain. @returns undefined where nothing of mail is wanted */
export async function lookAtMail(
  dns: DnsResolver,
  { name, desired, token }: DomainToLookAt,
): Promise<ObservedMail | 'unavailable' | undefined> {
  const email = wantedMail(desired);
  if (email === undefined) return undefined;
  const [domain, subdomain, dkim, own, dmarc] = await Promise.all([
    email.receive.enabled ? dns.exchangers(name) : absent,
    email.receive.enabled ? dns.exchangers(subdomainOf(name, email)) : absent,
    email.send.enabled ? dns.texts(`${dkimSelector(token)}._domainkey.${name}`) : absent,
    email.send.enabled ? dns.texts(name) : absent,
    email.send.enabled ? policyOf(dns, name) : absent,
  ]);
  const found = [domain, subdomain, dkim, own, dmarc];
  if (found.some(({ state }) => state === 'unavailable')) return 'unavailable';
  return {
    exchangers: { domain: hostsOf(domain), subdomain: hostsOf(subdomain) },
    dkim: textsOf(dkim),
    spf: textsOf(own, /^v=spf1(?:\s|$)/i),
    dmarc: textsOf(dmarc, policyText),
  };
}

const policyText = /^v=DMARC1(?:\s|;|$)/i;

const absent = { state: 'absent' } as const;

/** The policy of a domain, or of the nearest name above it that has one. RFC 9091, section 3. */
async function policyOf(dns: DnsResolver, name: string): Promise<Found<string>> {
  const labels = name.split('.');
  for (let at = 0; at <= Math.min(labels.length - 2, parentsMax); at++) {
    const found = await dns.texts(`_dmarc.${labels.slice(at).join('.')}`);
    // A text that is no policy, such as one that stands for all names of a domain, is passed over.
    const isPolicy = valuesOf(found).some((text) => policyText.test(text));
    if (found.state === 'unavailable' || isPolicy) return found;
  }
  return absent;
}

const hostsOf = (found: Found<string>): readonly string[] =>
  [...new Set(valuesOf(found))].sort().slice(0, kept.exchangers);

const textsOf = (found: Found<string>, kind = /^/): readonly string[] =>
  valuesOf(found)
    .filter((text) => kind.test(text))
    .map((text) => text.slice(0, kept.letters))
    .slice(0, kept.texts);
