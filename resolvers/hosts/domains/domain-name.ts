import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { ServiceError } from '../../../core/errors.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** The name below a domain whose text proves who owns it. */
export const proofLabel = '_svc-challenge';

/** Longest domain, so that the name below it that proves its owner is a name, too. RFC 1035, section 2.3.4. */
const nameMax = 253 - proofLabel.length - 1;

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** A domain in the one form that it is kept in: lower case, Punycode, no final dot; undefined for what is no domain. */
export function canonicalDomain(given: string): string | undefined {
  const text = given.trim().replace(/[.。．｡]$/u, '');
  // What URLs give a meaning to is no part of a name, and would be cut off rather than refused.
  if (/[\s/:?#@\\%[\]]/u.test(text)) return undefined;
  const name = domainToASCII(text);
  const labels = name.split('.');
  if (name === '' || name.length > nameMax || labels.length < 2 || isIP(name) !== 0) return undefined;
  if (!labels.every((one) => label.test(one)) || /^\d+$/.test(labels.at(-1)!)) return undefined;
  return name;
}

/** Names that resolve on one machine or in one building alone. RFC 6761 and RFC 6762. */
const localName = /(?:^|\.)(?:localhost|local|onion)$/;

/**
 * The domain that a client wants to connect.
 *
 * @throws INVALID_DOMAIN for what is no domain, and for the platform's own
 */
export function connectableDomain({ settings }: Pick<Services, 'settings'>, given: string): string {
  const refused = (reason: string, message: string) =>
    new ServiceError('INVALID_DOMAIN', { message, details: { domain: given, reason } });
  const name = canonicalDomain(given);
  if (name === undefined) throw refused('malformed', 'This is no domain name, such as shop.example.com.');
  if (localName.test(name)) throw refused('local', 'The name is not one of the public internet.');
  const { platformDomain, publicBaseUrl } = settings;
  const own = publicBaseUrl === undefined ? undefined : new URL(publicBaseUrl).hostname;
  if (name === own || name === platformDomain || name.endsWith(`.${platformDomain}`))
    throw refused('platform', 'The name is the platform’s own; names below its domain are claimed as subdomains.');
  return name;
}
