import { MessageSquareQuote } from 'lucide-react';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { AdminPage } from './admin-page.tsx';
import { FeedbackDocument } from './feedback.graphql.ts';

/** What users wrote to whoever runs the installation, newest first. */
export default function Feedback() {
  const pages = usePages();
  const answer = useAsk(FeedbackDocument, { after: pages.after });
  return (
    <AdminPage title="Feedback" lead="What users have told you, by the command svc feedback or the tool send_feedback.">
      <Loaded answer={answer}>
        {({ installation }) => (
          <>
            <Table
              label="Feedback"
              rows={installation?.feedback?.edges.map(({ node }) => node) ?? []}
              keyOf={({ feedbackId }) => feedbackId}
              columns={[
                { id: 'message', name: 'What was said', grows: true, cell: ({ message }) => message },
                {
                  id: 'who',
                  name: 'By',
                  cell: ({ handle, returnAddress, orgId }) => (
                    <span title={orgId}>
                      {handle ?? orgId.slice(0, 8)}
                      {returnAddress !== null && <span className="small quiet"> {returnAddress}</span>}
                    </span>
                  ),
                },
                {
                  id: 'about',
                  name: 'Project',
                  isExtra: true,
                  cell: ({ projectId }) => (projectId === null ? '' : <code>{projectId}</code>),
                },
                { id: 'at', name: 'Sent', cell: ({ createdAt }) => <When at={createdAt} /> },
              ]}
              empty={
                <State icon={MessageSquareQuote} title="No feedback yet">
                  Users send some by <code>svc feedback send</code>.
                </State>
              }
            />
            <Pager list="feedback" pages={pages} info={installation?.feedback?.pageInfo} />
          </>
        )}
      </Loaded>
    </AdminPage>
  );
}
