import { Send } from 'lucide-react';
import { enumName, StateBadge } from '../../design/badge.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { NoticeLogDocument } from './notices.graphql.ts';

/** How often the list is read again, in milliseconds: no feed tells of notices. */
const everyMs = 10_000;

/** What the member was told in the last 90 days, newest first. */
export function Log() {
  const pages = usePages('notices');
  const answer = useAsk(NoticeLogDocument, { after: pages.after });
  useExistingPage(pages, answer.error);
  useWhileVisible(everyMs, answer.again);
  return (
    <Loaded answer={answer}>
      {({ notifications }) => (
        <>
          <Table
            label="Notices, newest first"
            rows={notifications?.edges.map(({ node }) => node) ?? []}
            keyOf={({ notificationId }) => notificationId}
            columns={[
              {
                id: 'what',
                name: 'What',
                grows: true,
                cell: ({ eventType, kind, isTest, deliveryError }) => (
                  <span>
                    {isTest ? 'Test: ' : ''}
                    {enumName(eventType ?? kind)}
                    {deliveryError !== null && <span className="small quiet"> {deliveryError}</span>}
                  </span>
                ),
              },
              { id: 'channel', name: 'By', cell: ({ channel }) => enumName(channel) },
              { id: 'to', name: 'To', isExtra: true, cell: ({ recipientEmail }) => recipientEmail ?? '' },
              { id: 'status', name: 'Status', cell: ({ deliveryStatus }) => <StateBadge value={deliveryStatus} /> },
              { id: 'at', name: 'When', cell: ({ createdAt }) => <When at={createdAt} /> },
            ]}
            empty={
              <State icon={Send} title="Nothing was told yet">
                Send a test to see whether notices arrive.
              </State>
            }
          />
          <Pager pages={pages} info={notifications?.pageInfo} list="notices" />
        </>
      )}
    </Loaded>
  );
}
