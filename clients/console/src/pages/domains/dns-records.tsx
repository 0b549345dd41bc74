import { breakable } from '../../design/breakable.tsx';
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
      {records.map(({ id, purpose, type, name, value, valueParts, priority, required, status }) => (
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
            <Part what="Value" text={value} type={type} parts={valueParts} />
            {priority !== null && <Part what="Priority" text={String(priority)} type={type} />}
          </dl>
        </li>
      ))}
    </ul>
  </Section>
);

interface PartProps {
  readonly what: string;
  readonly text: string;
  readonly type: string;
  /** The same in parts, for panels that want a long value so. */
  readonly parts?: readonly string[] | null;
}

/** A long value shows its beginning alone: nobody reads a key. */
const Part = ({ what, text, type, parts = null }: PartProps) => (
  <div>
    <dt>{what}</dt>
    <dd>
      <code className={parts === null ? undefined : 'cut'} title={parts === null ? undefined : text}>
        {parts === null ? breakable(text) : text}
      </code>
      <CopyButton what={`${what.toLowerCase()} of the ${type} record`} text={text} isIcon />
    </dd>
    {parts !== null && (
      <dd className="dns-record-parts">
        <span className="quiet small">Some panels want it in parts of 255 letters:</span>
        <CopyButton
          what={`${what.toLowerCase()} of the ${type} record in parts`}
          text={parts.map((part) => `"${part}"`).join(' ')}
        />
      </dd>
    )}
  </div>
);
