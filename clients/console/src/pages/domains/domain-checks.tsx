import { Section } from '../../design/section.tsx';
import { When } from '../../design/when.tsx';
import { StandingBadge } from './domain-status.tsx';
import type { DomainCheck } from './domain-types.ts';

const names: Readonly<Record<string, string>> = {
  ownership: 'Ownership',
  routing: 'Routing',
  binding: 'Binding',
  certificate: 'Certificate',
  mail_binding: 'Mail',
  dkim: 'Signature (DKIM)',
  spf: 'Senders (SPF)',
  dmarc: 'Policy (DMARC)',
  mail_routing: 'Incoming mail',
  mailbox_addresses: 'Addresses',
};

/** What has to hold for the domain to serve, in the order in which it comes about. */
export function DomainChecks({ checks }: { readonly checks: readonly DomainCheck[] }) {
  const looked = checks.find(({ checkedAt }) => checkedAt !== null)?.checkedAt;
  return (
    <Section
      title="Checks"
      about={
        looked == null ? (
          'The domain was not looked at yet.'
        ) : (
          <>
            Looked at <When at={looked} />. The gateway looks by itself, every five minutes at first.
          </>
        )
      }
    >
      <ol className="domain-checks" aria-label="Checks">
        {checks.map(({ id, status, summary, blockedBy }) => (
          <li key={id}>
            <strong>{names[id] ?? id}</strong>
            <span>
              {summary}
              {blockedBy.length > 0 && (
                <span className="quiet small"> After: {blockedBy.map((one) => names[one] ?? one).join(', ')}.</span>
              )}
            </span>
            <StandingBadge status={status} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
