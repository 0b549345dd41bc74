import { CopyButton } from '../../design/code.tsx';
import { Section } from '../../design/section.tsx';
import { StandingBadge } from './domain-status.tsx';
import type { DnsRecord } from './domain-types.ts';

const purposes: Readonly<Record<string, string>> = {
  ownership: 'Proves that the domain is yours. It has to stay.',
  routing: 'Leads requests to the project.',
  mail_signature: 'The key that mail from the domain is signed with.',
  mail_routing: 'Leads mail to the gateway.',
  mail_policy: 'Makes receivers trust the mail. Not needed.',
};

/** The records to set, each part of them to copy. */
export const DnsRecords = ({ records }: { readonly records: readonly DnsRecord[] }) => (
  <Section
    title="Records"
    about="Set them where the zone of the domain is kept. It may take some minutes until all see them."
  >
    <ul className="dns-records">
      {records.map(({ id, purpose, type, name, value, required, status }) => (
        <li key={id} className="dns-record" aria-label={`${type} record`}>
          <div className="dns-record-head">
            <strong>{type}</strong>
            <span className="quiet small">
              {purposes[purpose]}
              {!required && purpose === 'routing' && ' Not needed beside the others.'}
            </span>
            <StandingBadge status={status} />
          </div>
          <dl>
            <Part what="Name" text={name} type={type} />
            <Part what="Value" text={value} type={type} />
          </dl>
        </li>
      ))}
    </ul>
  </Section>
);

const Part = ({ what, text, type }: { readonly what: string; readonly text: string; readonly type: string }) => (
  <div>
    <dt>{what}</dt>
    <dd>
      <code>{text}</code>
      <CopyButton what={`${what.toLowerCase()} of the ${type} record`} text={text} isIcon />
    </dd>
  </div>
);
