import { Inbox } from 'lucide-react';
import { Badge, type Mood, StateBadge } from '../../design/badge.tsx';
import { Select } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useFeed } from '../../graph/use-feed.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useEvery, useSettled } from '../../graph/use-settled.ts';
import { useSearch } from '../../search.ts';
import { FollowMailboxDocument, MailboxMailDocument, type MailboxMailQuery } from './mail.graphql.ts';

type Message = NonNullable<NonNullable<MailboxMailQuery['project']>['mail']>['edges'][number]['node'];

/** How often the list is read again besides, in milliseconds. */
const everyMs = 15_000;

const directions = [
  { id: 'all', name: 'In and out' },
  { id: 'in', name: 'Received' },
  { id: 'out', name: 'Sent' },
] as const;

const directionOf = (id: string) => (id === 'in' ? 'INBOUND' : id === 'out' ? 'OUTBOUND' : null);

interface MessagesProps {
  readonly project: string;
  readonly mailbox: string;
  readonly slug: string;
}

/** The mail of a mailbox, newest first, as it comes and goes. */
export function Messages({ project, mailbox, slug }: MessagesProps) {
  const [way, setWay] = useSearch('way', 'all');
  const pages = usePages(`${mailbox} ${way}`);
  const answer = useAsk(MailboxMailDocument, { project, mailbox, direction: directionOf(way), after: pages.after });
  const failed = useFeed(FollowMailboxDocument, { project, mailbox }, useSettled(answer.again));
  // For what came between the answer and the first event.
  useEvery(everyMs, answer.again);
  return (
    <>
      <Filters>
        <Select
          label="Show"
          options={[...directions]}
          value={directionOf(way) === null ? 'all' : way}
          onChange={setWay}
        />
      </Filters>
      <Loaded answer={{ ...answer, error: answer.error ?? failed }}>
        {(data) => {
          const mail = data.project?.mail;
          return (
            <>
              <Table
                label="Messages, newest first"
                columns={columns}
                rows={mail?.edges.map(({ node }) => node) ?? []}
                keyOf={({ messageId }) => messageId}
                linkOf={({ messageId }) => `/projects/${project}/mail/${messageId}?mailbox=${encodeURIComponent(slug)}`}
                empty={
                  <State icon={Inbox} title="No mail here">
                    Mail that the project sends, and answers to it, are listed here.
                  </State>
                }
              />
              <Pager pages={pages} info={mail?.pageInfo} list="messages" />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const columns: readonly TableColumn<Message>[] = [
  { id: 'subject', name: 'Subject', grows: true, cell: ({ subject }) => subject },
  {
    id: 'who',
    name: 'With',
    wraps: true,
    cell: ({ direction, fromAddress, fromName, to }) =>
      direction === 'INBOUND' ? `From ${fromName ?? fromAddress}` : `To ${to}`,
  },
  {
    id: 'status',
    name: 'Status',
    cell: ({ status, isAutomatic, inReplyToMessageId, direction }) => (
      <>
        <StateBadge value={status} mood={moods[status]} />
        {isAutomatic && <Badge>Automatic</Badge>}
        {direction === 'INBOUND' && inReplyToMessageId !== null && !isAutomatic && <Badge mood="accent">Reply</Badge>}
      </>
    ),
  },
  { id: 'at', name: 'When', cell: ({ createdAt }) => <When at={createdAt} /> },
];

const moods: Readonly<Record<Message['status'], Mood>> = {
  PENDING: 'warn',
  SENT: 'good',
  DELIVERED: 'good',
  RECEIVED: 'plain',
  FAILED: 'bad',
  BOUNCED: 'bad',
  COMPLAINED: 'bad',
};
