import type { DomainQuery, DomainSummaryFragment } from './domains.graphql.ts';

export type DomainSummary = DomainSummaryFragment;
export type Domain = NonNullable<DomainQuery['projectDomain']>;
export type DnsRecord = Domain['dnsRecords'][number];
export type DomainCheck = DomainSummary['checks'][number];

/** What is wanted of a domain, as the gateway tells it. */
interface Desired {
  readonly web?: { readonly enabled?: boolean; readonly role?: string };
}

const webOf = ({ desired }: Pick<DomainSummary, 'desired'>) => (desired as Desired).web ?? {};

/** Whether the domain is the address of the project, or another name for it. */
export const roleOf = (domain: Pick<DomainSummary, 'desired'>): 'PRIMARY' | 'ALIAS' =>
  webOf(domain).role === 'alias' ? 'ALIAS' : 'PRIMARY';

/** Whether the project is to be served under the domain. */
export const isOn = (domain: Pick<DomainSummary, 'desired'>): boolean => webOf(domain).enabled !== false;

/** How far a certificate has come; undefined where something in front of the gateway holds certificates. */
export const certificateOf = ({ checks }: Pick<DomainSummary, 'checks'>): DomainCheck | undefined =>
  checks.find(({ id }) => id === 'certificate');
