import type { DomainQuery, DomainSummaryFragment } from './domains.graphql.ts';

export type DomainSummary = DomainSummaryFragment;
export type Domain = NonNullable<DomainQuery['projectDomain']>;
export type DnsRecord = Domain['dnsRecords'][number];
export type DomainCheck = DomainSummary['checks'][number];

/** What is wanted of a domain, as the gateway tells it. */
interface Desired {
  readonly web?: { readonly enabled?: boolean; readonly role?: string };
  readonly email?: DesiredMail;
}

export interface DesiredMail {
  readonly send: { readonly enabled: boolean };
  readonly receive: { readonly enabled: boolean; readonly strategy: string; readonly mail_subdomain: string };
  readonly mailbox_addresses: {
    readonly mode: string;
    readonly addresses: readonly { readonly local_part: string; readonly mailbox_slug: string }[];
  };
  readonly activation: string;
}

/** What is in effect of mail below a domain. */
interface EffectiveMail {
  readonly send: { readonly active: boolean };
  readonly receive: { readonly active: boolean; readonly strategy?: string };
  readonly mailbox_addresses?: readonly MailAddress[];
}

export interface MailAddress {
  readonly address: string;
  readonly mailbox_slug: string;
  readonly primary: boolean;
  readonly active: boolean;
}

/** What is wanted of mail; undefined while nothing is. */
export function wantedMail({ desired }: Pick<DomainSummary, 'desired'>): DesiredMail | undefined {
  const { email } = desired as Desired;
  return email?.send.enabled === true || email?.receive.enabled === true ? email : undefined;
}

export const effectiveMail = ({ effective }: Pick<DomainSummary, 'effective'>): EffectiveMail =>
  (effective as { readonly email: EffectiveMail }).email;

const webOf = ({ desired }: Pick<DomainSummary, 'desired'>) => (desired as Desired).web ?? {};

/** Whether the domain is the address of the project, or another name for it. */
export const roleOf = (domain: Pick<DomainSummary, 'desired'>): 'PRIMARY' | 'ALIAS' =>
  webOf(domain).role === 'alias' ? 'ALIAS' : 'PRIMARY';

/** Whether the project is to be served under the domain. */
export const isOn = (domain: Pick<DomainSummary, 'desired'>): boolean => webOf(domain).enabled !== false;

/** How far a certificate has come; undefined where something in front of the gateway holds certificates. */
export const certificateOf = ({ checks }: Pick<DomainSummary, 'checks'>): DomainCheck | undefined =>
  checks.find(({ id }) => id === 'certificate');
