import { X } from 'lucide-react';
import { StateBadge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Panel } from '../../design/section.tsx';
import { When } from '../../design/when.tsx';
import type { OutboxQuery } from './outbox.graphql.ts';

export type Mail = NonNullable<OutboxQuery['outboxMails']>['edges'][number]['node'];

interface MailPanelProps {
  readonly mail: Mail;
  readonly close: () => void;
}

/** One mail as its recipient reads it. Mails of the gateway are plain text. */
export function MailPanel({ mail, close }: MailPanelProps) {
  const { subject, recipient, state, attempts, lastError, createdAt, sentAt, bodyText } = mail;
  return (
    <Panel title={subject} actions={<IconButton small icon={X} label="Close" onPress={close} />}>
      <Facts
        facts={[
          ['To', recipient],
          ['State', <StateBadge key="state" value={state} />],
          ['Written', <When key="written" at={createdAt} exact />],
          ['Sent', sentAt === null ? null : <When key="sent" at={sentAt} exact />],
          ['Attempts', attempts === 0 ? null : attempts],
          ['Last error', lastError],
        ]}
      />
      <figure className="mail" aria-label={`Text of ${subject}`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
        <pre tabIndex={0}>{partsOf(bodyText).map(shown)}</pre>
        <figcaption>
          <CopyButton what="the text" text={bodyText} />
        </figcaption>
      </figure>
    </Panel>
  );
}

/** A text cut at its web addresses: texts and addresses take turns, a text first. */
export const partsOf = (text: string): readonly string[] => text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)])/);

const shown = (part: string, at: number) =>
  at % 2 === 0 ? (
    part
  ) : (
    <a key={at} href={part} target="_blank" rel="noopener noreferrer">
      {part}
    </a>
  );
