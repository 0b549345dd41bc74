import './mail.css';
import { MailX } from 'lucide-react';
import { Badge, StateBadge } from '../../design/badge.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { MailThreadDocument, type MailThreadQuery } from './mail.graphql.ts';
import { MessageFrame } from './message-frame.tsx';

type Message = NonNullable<MailThreadQuery['mailboxMessage']>;

interface MessageProps {
  readonly project: string;
  readonly message: string;
}

/** One mail: its text, its HTML without scripts and pictures of others, what it answers, and what answered it. */
export default function MessagePage({ project, message: id }: MessageProps) {
  const [mailbox] = useSearch('mailbox', '');
  const answer = useAsk(MailThreadDocument, { project, mailbox, message: id });
  const { project: owner, mailboxMessage: message } = answer.data ?? {};
  const list = `/projects/${project}/mail?mailbox=${encodeURIComponent(mailbox)}`;
  return (
    <Page
      title={message == null ? 'Message' : message.subject}
      crumbs={[...projectCrumbs(owner?.organization, owner), ['Mail', list]]}
    >
      <Loaded answer={answer}>
        {({ mailboxMessage: found }) =>
          found === null ? (
            <State icon={MailX} title="Message not found">
              It was deleted with its mailbox, or you have no access to it.
            </State>
          ) : (
            <Shown project={project} mailbox={mailbox} message={found} />
          )
        }
      </Loaded>
    </Page>
  );
}

interface ShownProps {
  readonly project: string;
  readonly mailbox: string;
  readonly message: Message;
}

function Shown({ project, mailbox, message }: ShownProps) {
  const [view, setView] = useSearch('view', 'text');
  const addressOf = (id: string) => `/projects/${project}/mail/${id}?mailbox=${encodeURIComponent(mailbox)}`;
  const text = <pre className="mail-text">{message.bodyText}</pre>;
  return (
    <>
      <Facts
        facts={[
          ['From', message.fromName === null ? message.fromAddress : `${message.fromName} <${message.fromAddress}>`],
          ['To', message.to],
          [message.direction === 'INBOUND' ? 'Received' : 'Written', <When key="at" at={message.createdAt} />],
          [
            'Status',
            <span key="status">
              <StateBadge value={message.status} /> {message.isAutomatic && <Badge>Automatic</Badge>}
            </span>,
          ],
          ['Came back', message.bounceType],
          ['Why', message.lastError],
          [
            'Sender',
            message.authentication === null ? null : <Authentication key="auth" of={message.authentication} />,
          ],
          [
            'Answers',
            message.inReplyToMessageId === null ? null : (
              <Link key="answers" to={addressOf(message.inReplyToMessageId)}>
                the mail before it
              </Link>
            ),
          ],
          [
            'Files',
            message.attachmentsMeta === null
              ? null
              : message.attachmentsMeta.map(({ filename, sizeBytes }) => `${filename} (${sizeBytes} bytes)`).join(', '),
          ],
        ]}
      />
      {message.bodyHtml === null ? (
        text
      ) : (
        <Tabs
          label="Body"
          selected={view}
          select={setView}
          pages={[
            { id: 'text', name: 'Text', content: text },
            { id: 'html', name: 'HTML', content: <MessageFrame html={message.bodyHtml} title={message.subject} /> },
          ]}
        />
      )}
      {message.replies.length > 0 && (
        <Section title="Replies" about="Newest first.">
          {message.replies.map((reply) => (
            <article key={reply.id} className="mail-reply">
              <p>
                <Link to={addressOf(reply.id)}>{reply.from}</Link> <When at={reply.receivedAt} />
              </p>
              <pre className="mail-text">{reply.body}</pre>
            </article>
          ))}
        </Section>
      )}
    </>
  );
}

/** Whether the mail is from whom it says. */
function Authentication({ of }: { readonly of: NonNullable<Message['authentication']> }) {
  const mood = of.dmarc === 'pass' ? 'good' : of.dmarc === 'fail' ? 'bad' : 'warn';
  return (
    <span>
      <Badge mood={mood}>{of.dmarc === 'pass' ? 'Confirmed' : of.dmarc === 'fail' ? 'Forged' : 'Not confirmed'}</Badge>{' '}
      <span className="quiet small">
        SPF {of.spf}, DKIM {of.dkim}, DMARC {of.dmarc}
      </span>
    </span>
  );
}
