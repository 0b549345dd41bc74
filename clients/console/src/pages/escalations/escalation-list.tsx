import { BellRing, CircleCheck } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Principal, type PrincipalLike } from '../../design/principal.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useLiveQuery } from '../../graph/use-live-query.ts';
import { usePeople } from '../use-people.ts';
import {
  type EscalationLineFragment,
  type EscalationStatus,
  EscalationsDocument,
  FollowEscalationsDocument,
} from './escalations.graphql.ts';

interface EscalationListProps {
  readonly org: string;
  readonly status: EscalationStatus;
}

const none: Readonly<Record<EscalationStatus, string>> = {
  OPEN: 'No open escalations',
  ACKNOWLEDGED: 'No acknowledged escalations',
  RESOLVED: 'No resolved escalations',
};

/** Escalations of one state, updated as they are raised and answered. */
export function EscalationList({ org, status }: EscalationListProps) {
  const pages = usePages(status);
  const people = usePeople(org);
  const answer = useLiveQuery(EscalationsDocument, { org, status, after: pages.after }, FollowEscalationsDocument, {
    following: { org },
    from: (data) => data.escalations?.cursor,
  });
  const found = answer.data?.escalations;
  return (
    <div className="escalations">
      <ErrorNote error={answer.error} retry={answer.again} />
      {found === undefined && answer.error === undefined && <Skeleton lines={5} />}
      {found != null && (
        <>
          {found.scope === 'OWN' && <p className="quiet small">You see the escalations that you raised.</p>}
          <Table
            label="Escalations"
            columns={columnsOf(status, people)}
            rows={found.edges.map(({ node }) => node)}
            keyOf={({ escalationId }) => escalationId}
            linkOf={({ escalationId }) => `/orgs/${org}/escalations/${escalationId}`}
            empty={
              <State icon={status === 'OPEN' ? CircleCheck : BellRing} title={none[status]}>
                {status === 'OPEN' ? 'An escalation that is raised is shown here at once.' : undefined}
              </State>
            }
          />
          <Pager pages={pages} info={found.pageInfo} list="escalations" />
        </>
      )}
    </div>
  );
}

type Column = TableColumn<EscalationLineFragment>;

const reason: Column = {
  id: 'reason',
  name: 'Reason',
  grows: true,
  cell: (row) => (
    <span className="escalation-reason" dir="auto">
      {row.reason}
    </span>
  ),
};
const severity: Column = {
  id: 'severity',
  name: 'Severity',
  cell: (row) => (row.severity === 'HIGH' ? <Badge mood="warn">High</Badge> : <span className="quiet">Normal</span>),
};
type People = (principalId: string) => PrincipalLike;

const byOf = (people: People): Column => ({
  id: 'by',
  name: 'Raised by',
  cell: (row) =>
    row.presenceName === null ? (
      <Principal who={people(row.raisedBy)} />
    ) : (
      <span className="escalation-by" dir="auto" title={row.presenceName}>
        {row.presenceName}
      </span>
    ),
});
const raised: Column = { id: 'raised', name: 'Raised', align: 'end', cell: (row) => <When at={row.raisedAt} /> };
const byMail = (email: string | null) => email !== null && <bdi className="small quiet">{email} </bdi>;

/** The last column tells what comes next, or who answered. */
function columnsOf(status: EscalationStatus, people: People): readonly Column[] {
  const last: Readonly<Record<EscalationStatus, Column>> = {
    OPEN: {
      id: 'next',
      name: 'Next level',
      align: 'end',
      cell: (row) => <When at={row.deadlineAt} />,
    },
    ACKNOWLEDGED: {
      id: 'acknowledged',
      name: 'Acknowledged',
      align: 'end',
      cell: (row) => (
        <>
          {byMail(row.acknowledgedByEmail)}
          <When at={row.acknowledgedAt} />
        </>
      ),
    },
    RESOLVED: {
      id: 'resolved',
      name: 'Resolved',
      align: 'end',
      cell: (row) => (
        <>
          {byMail(row.resolvedByEmail)}
          <When at={row.resolvedAt} />
        </>
      ),
    },
  };
  return [reason, severity, byOf(people), raised, last[status]];
}
