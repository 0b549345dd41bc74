import type { DesiredDomain, DomainFailure, ObservedDomain } from '../../../db/schema/hosts.ts';
import { strategyOf, wantedMail } from './desired-mail.ts';
import { proofLabel } from './domain-name.ts';
import {
  type DomainCheck,
  type DomainStatus,
  type Judgement,
  type RecordStatus,
  unseen,
  type WantedRecord,
  type WebCheck,
} from './judgement.ts';
import { type MailFacts, mailChecks } from './mail-checks.ts';
import { mailRecords } from './mail-records.ts';
import { isProven, proofOf } from './proof.ts';

/** Everything that the standing of a domain is judged by. */
export interface DomainFacts extends Omit<MailFacts, 'email'> {
  readonly desired: DesiredDomain;
  readonly checkedAt: Date | null;
  readonly boundAt: Date | null;
  readonly activeAt: Date | null;
  readonly failure: DomainFailure | null;
  /** The host that it has to be an alias of. */
  readonly target: string;
  /** Another project has proven that the domain is its own. */
  readonly boundElsewhere: boolean;
  /** How far its certificate has come; undefined where something in front of the gateway holds certificates. */
  readonly certificate: CertificateState | undefined;
}

export type CertificateState = 'pending' | 'ready' | 'failing';

/** Whether a domain leads to where its project is served. */
export function leadsThere({ alias, addresses, targetAddresses }: ObservedDomain, target: string): boolean {
  if (alias === target) return true;
  return addresses.length > 0 && addresses.every((one) => targetAddresses.includes(one));
}

/** Tells how a domain stands, what its owner has to do, and what was looked at. */
export function judge(facts: DomainFacts): Judgement {
  const checks = checksOf(facts);
  return { status: statusOf(facts, checks), records: recordsOf(facts), checks };
}

function statusOf({ failure }: DomainFacts, checks: readonly DomainCheck[]): DomainStatus {
  if (failure !== null) return 'failed';
  if (checks.some(({ status }) => status === 'drifted')) return 'needs_repair';
  const open = checks.filter(({ blocking, status }) => blocking && status !== 'passed');
  if (open.length === 0) return 'active';
  // A certificate is ordered by the gateway: nobody else has to do anything.
  return open.every(({ id }) => id === 'certificate') ? 'waiting' : 'action_required';
}

const webChecks: ReadonlySet<string> = new Set(['ownership', 'routing', 'binding', 'certificate'] satisfies WebCheck[]);

/** Whether the project is served under a domain. */
export const isServed = ({ checks, boundAt }: Judgement & Pick<DomainFacts, 'boundAt'>): boolean =>
  boundAt !== null && checks.every(({ id, status }) => status === 'passed' || !webChecks.has(id));

function recordsOf(facts: DomainFacts): WantedRecord[] {
  const { name, token, observed, target, desired } = facts;
  const ownership: WantedRecord = {
    id: 'ownership',
    purpose: 'ownership',
    type: 'TXT',
    name: `${proofLabel}.${name}`,
    value: proofOf(token),
    status: observed === null ? 'unknown' : isProven(observed, token) ? 'present' : 'missing',
    required: true,
  };
  const email = wantedMail(desired);
  return [
    ownership,
    ...(desired.web.enabled ? routingRecords(name, observed, target, isExchanged(desired)) : []),
    ...(email === undefined ? [] : mailRecords({ ...facts, email })),
  ];
}

/** Whether mail servers stand at the domain itself, beside which no alias may be (RFC 1034, section 3.6.2). */
const isExchanged = ({ email }: DesiredDomain): boolean =>
  email !== undefined && strategyOf(email) === 'full_receive_takeover';

/** @param asAddresses whether the domain has other records, so that it cannot be an alias */
function routingRecords(
  name: string,
  observed: ObservedDomain | null,
  target: string,
  asAddresses: boolean,
): WantedRecord[] {
  const base = { purpose: 'routing', name, required: true } as const;
  const leadsElsewhere = observed !== null && (observed.alias !== null || observed.addresses.length > 0);
  const statusFor = (isPresent: boolean): RecordStatus => {
    if (observed === null) return 'unknown';
    return isPresent ? 'present' : leadsElsewhere ? 'conflict' : 'missing';
  };
  const isThere = observed !== null && leadsThere(observed, target);
  // Before the first look, a domain of two labels is taken for the beginning of a zone.
  if (!asAddresses && !(observed?.beginsZone ?? name.split('.').length === 2))
    return [{ ...base, id: 'routing', type: 'CNAME', value: target, status: statusFor(isThere) }];
  const addresses = observed?.targetAddresses ?? [];
  // Where no address is known, some providers resolve an alias at the beginning of a zone themselves.
  if (addresses.length === 0)
    return [{ ...base, id: 'routing', type: 'ALIAS', value: target, status: statusFor(isThere) }];
  return addresses.map((value, at) => ({
    ...base,
    id: `routing_${at + 1}`,
    type: value.includes(':') ? ('AAAA' as const) : ('A' as const),
    value,
    // One address that leads there is enough.
    ...(isThere && !observed!.addresses.includes(value)
      ? { status: 'missing' as const, required: false }
      : { status: statusFor(isThere) }),
  }));
}

function checksOf(facts: DomainFacts): DomainCheck[] {
  const { desired, certificate, boundAt } = facts;
  const checks = [ownershipCheck(facts)];
  if (desired.web.enabled) {
    checks.push(routingCheck(facts), bindingCheck(facts));
    if (certificate !== undefined) checks.push(certificateCheck(certificate, boundAt !== null));
  }
  const email = wantedMail(desired);
  if (email !== undefined) checks.push(...mailChecks({ ...facts, email }));
  return checks;
}

function ownershipCheck({ observed, token, unanswered: silent, boundAt, mail }: DomainFacts): DomainCheck {
  const base = { id: 'ownership', blocking: true } as const;
  if (observed === null) return { ...base, ...unseen(silent, 'The domain') };
  if (isProven(observed, token))
    return { ...base, status: 'passed', summary: 'The record that proves the owner is there.' };
  const missing = { reasonCode: 'record_missing', summary: 'The record that proves the owner is not there.' };
  return { ...base, status: boundAt === null && mail === null ? 'pending' : 'drifted', ...missing };
}

function routingCheck({ observed, target, unanswered: silent, activeAt }: DomainFacts): DomainCheck {
  const base = { id: 'routing', blocking: true } as const;
  if (observed === null) return { ...base, ...unseen(silent, 'The domain') };
  if (leadsThere(observed, target)) return { ...base, status: 'passed', summary: 'The domain leads to the project.' };
  const isElsewhere = observed.alias !== null || observed.addresses.length > 0;
  const reasonCode = isElsewhere ? 'leads_elsewhere' : 'record_missing';
  const summary = isElsewhere ? 'The domain leads to another server.' : 'The domain leads nowhere yet.';
  const status = activeAt !== null ? 'drifted' : isElsewhere ? 'failed' : 'pending';
  return { ...base, status, reasonCode, summary };
}

function bindingCheck({ boundAt, boundElsewhere, failure }: DomainFacts): DomainCheck {
  const base = { id: 'binding', blocking: true } as const;
  if (boundAt !== null) return { ...base, status: 'passed', summary: 'Requests for the domain go to the project.' };
  if (boundElsewhere)
    return { ...base, status: 'failed', reasonCode: 'bound_elsewhere', summary: 'The domain is another project’s.' };
  if (failure !== null)
    return { ...base, status: 'failed', reasonCode: failure, summary: 'The domain was taken from the project.' };
  return { ...base, status: 'blocked', blockedBy: ['ownership'], summary: 'Waits for the proof of the owner.' };
}

function certificateCheck(certificate: CertificateState, isBound: boolean): DomainCheck {
  const base = { id: 'certificate', blocking: true } as const;
  if (certificate === 'ready') return { ...base, status: 'passed', summary: 'The gateway has a certificate.' };
  if (!isBound)
    return { ...base, status: 'blocked', blockedBy: ['binding'], summary: 'Is ordered once the domain is bound.' };
  if (certificate === 'failing')
    return {
      ...base,
      status: 'failed',
      reasonCode: 'order_failed',
      summary: 'The last order of a certificate failed. The gateway tries again by itself, with growing pauses.',
    };
  return { ...base, status: 'pending', reasonCode: 'ordering', summary: 'A certificate is being ordered.' };
}
