import { ScrollText } from 'lucide-react';
import { Loaded } from '../../design/loaded.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { Link } from '../../router.tsx';
import { RequestTable } from '../logs/request-table.tsx';
import { LatestRequestsDocument } from './project.graphql.ts';

/** How often the lines are renewed while the page is visible, in milliseconds. */
const everyMs = 10_000;

/** The latest lines of the project's log. */
export function LatestRequests({ projectId }: { readonly projectId: string }) {
  const answer = useAsk(LatestRequestsDocument, { project: projectId });
  useWhileVisible(everyMs, answer.again);
  const base = `/projects/${projectId}/logs`;
  return (
    <Section
      title="Latest requests"
      actions={
        <Link className="quiet-link" to={base}>
          All requests
        </Link>
      }
    >
      <Loaded answer={answer}>
        {({ project }) => (
          <RequestTable
            label="Latest requests"
            rows={(project?.requests?.edges ?? []).map(({ node }) => node)}
            linkOf={({ requestId }) => `${base}?request=${encodeURIComponent(requestId)}`}
            empty={
              <State icon={ScrollText} title="No requests yet">
                The first call of the project shows here a moment later.
              </State>
            }
          />
        )}
      </Loaded>
    </Section>
  );
}
