import type { DesiredMail, ObservedDomain } from '../../../db/schema/hosts.ts';
import { dkimRecord, dkimSeen, dkimSelector } from '../../../engines/mail/dkim.ts';
import { strategyOf, subdomainOf } from './desired-mail.ts';
import type { RecordStatus, WantedRecord } from './judgement.ts';

/** What the records for the mail of a domain follow from. */
export interface MailRecordFacts {
  readonly name: string;
  readonly email: DesiredMail;
  readonly token: string;
  readonly dkimPublicKey: string | null;
  readonly observed: ObservedDomain | null;
  /** The mail server of the gateway. */
  readonly mailHost: string;
  /** The domain of the project's managed addresses, which mail comes back to. */
  readonly managedDomain: string;
}

/** The records that the mail of a domain needs, and those that make receivers trust it more. */
export function mailRecords(facts: MailRecordFacts): WantedRecord[] {
  const { name, email, token, dkimPublicKey, mailHost } = facts;
  const records: WantedRecord[] = [];
  if (email.send.enabled && dkimPublicKey !== null)
    records.push({
      id: 'dkim',
      purpose: 'mail_signature',
      type: 'TXT',
      name: `${dkimSelector(token)}._domainkey.${name}`,
      value: dkimRecord(dkimPublicKey),
      status: dkimStatus(facts),
      required: true,
    });
  const at = exchangedName(facts);
  if (at !== undefined)
    records.push({
      id: 'mx',
      purpose: 'mail_routing',
      type: 'MX',
      name: at,
      value: mailHost,
      priority: 10,
      status: exchangerStatus(facts),
      required: true,
    });
  if (email.send.enabled) records.push(...policyRecords(facts));
  return records;
}

/** Whether the key of the project was seen. */
export function dkimStatus({ observed, dkimPublicKey }: MailRecordFacts): RecordStatus {
  if (observed?.mail === undefined || dkimPublicKey === null) return 'unknown';
  return dkimSeen(observed.mail.dkim, dkimPublicKey);
}

/** The name whose mail servers have to be the gateway; undefined where none has to. */
function exchangedName({ name, email }: MailRecordFacts): string | undefined {
  const strategy = strategyOf(email);
  if (strategy === 'full_receive_takeover') return name;
  return strategy === 'subdomain_mode' ? subdomainOf(name, email) : undefined;
}

/** Whether mail comes to the gateway alone: a second server would take a part of it. */
export function exchangerStatus({ observed, email, mailHost }: MailRecordFacts): RecordStatus {
  if (observed?.mail === undefined) return 'unknown';
  const { domain, subdomain } = observed.mail.exchangers;
  const seen = strategyOf(email) === 'subdomain_mode' ? subdomain : domain;
  if (seen.length === 0) return 'missing';
  return seen.every((one) => one === mailHost) ? 'present' : 'conflict';
}

/**
 * The policies of a domain that sends. Neither is needed: mail comes back to the managed domain, and the signature is the
 * domain's own.
 */
export function policyRecords({ name, observed, managedDomain }: MailRecordFacts): WantedRecord[] {
  const mail = observed?.mail;
  const statusOf = (seen: readonly string[], isGood: (text: string) => boolean): RecordStatus => {
    if (seen.length === 0) return 'missing';
    return seen.length === 1 && isGood(seen[0]!) ? 'present' : 'conflict';
  };
  const include = `include:${managedDomain}`;
  const base = { purpose: 'mail_policy', type: 'TXT', required: false } as const;
  const spf: WantedRecord = {
    ...base,
    id: 'spf',
    name,
    value: spfWith(mail?.spf[0], include),
    status:
      mail === undefined ? 'unknown' : statusOf(mail.spf, (text) => text.toLowerCase().split(/\s+/).includes(include)),
  };
  const dmarc: WantedRecord = {
    ...base,
    id: 'dmarc',
    name: `_dmarc.${name}`,
    value: mail?.dmarc.length === 1 ? mail.dmarc[0]! : 'v=DMARC1; p=none',
    status: mail === undefined ? 'unknown' : statusOf(mail.dmarc, (text) => /;\s*p\s*=/i.test(text)),
  };
  // A name that is an alias has no record beside it.
  return observed?.alias == null ? [spf, dmarc] : [dmarc];
}

/** The policy that a domain has, with one more sender: two policies would both count for nothing (RFC 7208, section 4.5). */
function spfWith(known: string | undefined, include: string): string {
  if (known === undefined) return `v=spf1 ${include} ~all`;
  const terms = known.split(/\s+/).filter((term) => term !== '' && term.toLowerCase() !== include);
  return [terms[0], include, ...terms.slice(1)].join(' ');
}
