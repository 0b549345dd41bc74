import { CheckCheck } from 'lucide-react';
import { useState } from 'react';
import './escalation.css';
import { Badge, StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Principal, type PrincipalLike } from '../../design/principal.tsx';
import { Section } from '../../design/section.tsx';
import { Skeleton } from '../../design/status.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useLiveQuery } from '../../graph/use-live-query.ts';
import { Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { may } from '../../session/may.ts';
import { useOrg } from '../use-org.ts';
import { usePeople } from '../use-people.ts';
import {
  AcknowledgeDocument,
  EscalationDocument,
  type EscalationQuery,
  FollowEscalationDocument,
  ResolveDocument,
} from './escalation.graphql.ts';
import { ResolveDialog } from './resolve-dialog.tsx';
import { Timeline } from './timeline.tsx';

interface EscalationProps {
  readonly org: string;
  readonly escalation: string;
}

type Found = NonNullable<EscalationQuery['escalation']>;

/** Polling interval in milliseconds: notifications are sent in the background, and there is no feed of them. */
const askEveryMs = 10_000;

/** One escalation: its state, and a timeline of notifications and answers. */
export default function EscalationPage({ org, escalation }: EscalationProps) {
  const pages = usePages();
  const { crumbs, role } = useOrg(org);
  const people = usePeople(org);
  const asked = { org, escalation, attemptsAfter: pages.after };
  const answer = useLiveQuery(EscalationDocument, asked, FollowEscalationDocument, {
    following: { org, escalation },
    from: (data) => data.escalations?.cursor,
    everyMs: askEveryMs,
  });
  const found = answer.data?.escalation;
  const [dialog, setDialog] = useSearch('dialog', '');
  const acknowledge = useChange(AcknowledgeDocument);
  const resolve = useChange(ResolveDocument);
  // The status after a press, shown until the gateway answers.
  const [pressed, setPressed] = useState<Found['status']>();
  const status = pressed ?? found?.status;
  const answers = found != null && may(role, 'escalation:answer');
  const answerIt = async (next: Found['status'], run: () => Promise<unknown>) => {
    setPressed(next);
    const answered = await run();
    setPressed(undefined);
    return answered !== undefined;
  };
  const isBusy = acknowledge.busy || resolve.busy;
  return (
    <Page
      title={found?.reason ?? 'Escalation'}
      crumbs={[...crumbs, ['Escalations', `/orgs/${org}/escalations`]]}
      actions={
        answers &&
        status !== 'RESOLVED' && (
          <>
            {status === 'OPEN' && (
              <Button
                variant="primary"
                icon={CheckCheck}
                isPending={isBusy}
                onPress={() => void answerIt('ACKNOWLEDGED', () => acknowledge.run({ org, escalation }))}
              >
                Acknowledge
              </Button>
            )}
            <Button
              variant={status === 'OPEN' ? 'secondary' : 'primary'}
              isDisabled={isBusy}
              onPress={() => setDialog('resolve')}
            >
              Resolve
            </Button>
          </>
        )
      }
    >
      <ErrorNote error={answer.error} retry={answer.again} />
      <ErrorNote error={acknowledge.error} />
      {found === undefined && answer.error === undefined && <Skeleton lines={6} />}
      {found != null && status !== undefined && (
        <div className="escalation">
          <div className="escalation-main">
            <Reached org={org} found={found} readsContacts={may(role, 'escalation:contacts:read')} />
            <Section title="Timeline">
              <Timeline found={found} raiser={people(found.raisedBy)} isFirstPage={pages.after === undefined} />
              <Pager pages={pages} info={found.deliveryAttempts.pageInfo} list="notifications" />
            </Section>
          </div>
          <Details found={found} status={status} raiser={people(found.raisedBy)} />
        </div>
      )}
      <ResolveDialog
        escalationId={escalation}
        isOpen={dialog === 'resolve' && answers && found.status !== 'RESOLVED'}
        close={() => setDialog('')}
        error={resolve.error}
        send={(note) => answerIt('RESOLVED', () => resolve.run({ org, escalation, ...(note === '' ? {} : { note }) }))}
      />
    </Page>
  );
}

interface ReachedProps {
  readonly org: string;
  readonly found: Found;
  readonly readsContacts: boolean;
}

/** Warns where no contact has received a notification. */
function Reached({ org, found, readsContacts }: ReachedProps) {
  const attempts = found.deliveryAttempts.edges.map(({ node }) => node);
  if (found.status !== 'OPEN') return null;
  const contacts = readsContacts && <Link to={`/orgs/${org}/escalations?tab=contacts`}>Show the contacts</Link>;
  if (attempts.length === 0)
    return (
      <Note mood="warn" title="No contact has been notified yet." action={contacts}>
        The gateway sends notifications within a minute. An organization without contacts gets none.
      </Note>
    );
  if (attempts.every(({ status }) => status !== 'DELIVERED'))
    return (
      <Note mood="warn" title="No notification has arrived." action={contacts}>
        The timeline has the reason for each.
      </Note>
    );
  return null;
}

interface DetailsProps {
  readonly found: Found;
  readonly status: Found['status'];
  readonly raiser: PrincipalLike;
}

function Details({ found, status, raiser }: DetailsProps) {
  return (
    <aside className="escalation-details" aria-label="Details">
      <Facts
        facts={[
          ['State', <StateBadge key="state" value={status} />],
          [
            'Severity',
            found.severity === 'HIGH' ? (
              <Badge key="severity" mood="warn">
                High
              </Badge>
            ) : (
              'Normal'
            ),
          ],
          [
            'Raised by',
            found.presenceName === null ? (
              <Principal key="by" who={raiser} copies />
            ) : (
              <bdi key="by">{found.presenceName}</bdi>
            ),
          ],
          ['Level', found.level],
          ['Next level', status === 'OPEN' ? <When key="next" at={found.deadlineAt} /> : null],
          [
            'Project',
            found.projectId === null ? null : (
              <Link key="project" to={`/projects/${found.projectId}`}>
                {found.projectId}
              </Link>
            ),
          ],
        ]}
      />
      {Object.keys(found.details).length > 0 && (
        <CodeBlock title="Details" code={JSON.stringify(found.details, null, 2)} />
      )}
    </aside>
  );
}
