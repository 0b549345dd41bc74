import { CircleCheck, Siren } from 'lucide-react';
import { useState } from 'react';
import { Badge, type Mood } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { AdminPage } from './admin-page.tsx';
import { chosen, Filter } from './filters.tsx';
import { IncidentDialog } from './incident-dialog.tsx';
import { IncidentsDocument, type IncidentsQuery, ResolveIncidentDocument } from './incidents.graphql.ts';
import { words } from './words.ts';

type Incident = NonNullable<NonNullable<IncidentsQuery['installation']>['incidents']>['edges'][number]['node'];

/** Faults of the platform that its admin declared. Readers of events are told of them while they last. */
export default function Incidents() {
  const [dialog, setDialog] = useSearch('dialog', '');
  return (
    <AdminPage
      title="Incidents"
      lead="Faults of this installation that you announce to its users, in the events of all projects or of some."
      actions={
        <Button variant="primary" icon={Siren} onPress={() => setDialog('declare')}>
          Declare incident
        </Button>
      }
    >
      <List />
      {dialog === 'declare' && <IncidentDialog close={() => setDialog('')} />}
    </AdminPage>
  );
}

const statuses = [
  ['', 'All incidents'],
  ['ONGOING', 'Ongoing'],
  ['RESOLVED', 'Resolved'],
] as const;

function List() {
  const [status, setStatus] = useSearch('status', '');
  const [ending, setEnding] = useState<Incident>();
  const pages = usePages(status);
  const answer = useAsk(IncidentsDocument, { status: chosen<'ONGOING'>(statuses, status), after: pages.after });
  return (
    <div className="list-column">
      <Toolbar label="Filter incidents">
        <Filter label="Status" options={statuses} value={status} onChange={setStatus} />
      </Toolbar>
      <Loaded answer={answer}>
        {({ installation }) => (
          <>
            <Table
              label="Incidents"
              columns={[...columns, resolveColumn(setEnding)]}
              rows={installation?.incidents?.edges.map(({ node }) => node) ?? []}
              keyOf={({ incidentId }) => incidentId}
              empty={
                <State icon={CircleCheck} title={status === 'ONGOING' ? 'No incident is open' : 'No incidents'}>
                  Declare one when something does not work as it should, so that users know it is not their fault.
                </State>
              }
            />
            <Pager list="incidents" pages={pages} info={installation?.incidents?.pageInfo} />
          </>
        )}
      </Loaded>
      {ending !== undefined && <ResolveDialog incident={ending} close={() => setEnding(undefined)} />}
    </div>
  );
}

const severities: Readonly<Record<Incident['severity'], Mood>> = { MINOR: 'plain', MAJOR: 'warn', CRITICAL: 'bad' };

const columns: readonly TableColumn<Incident>[] = [
  { id: 'summary', name: 'Summary', grows: true, cell: ({ summary }) => <bdi>{summary}</bdi> },
  {
    id: 'status',
    name: 'Status',
    cell: ({ status }) => <Badge mood={status === 'ONGOING' ? 'bad' : 'good'}>{words(status)}</Badge>,
  },
  {
    id: 'severity',
    name: 'Severity',
    cell: ({ severity }) => <Badge mood={severities[severity]}>{words(severity)}</Badge>,
  },
  { id: 'subsystem', name: 'Part', cell: ({ subsystem }) => words(subsystem) },
  {
    id: 'scope',
    name: 'Told to',
    cell: ({ scope, projectIds }) =>
      scope === 'GLOBAL' ? 'Everybody' : `${projectIds.length} ${projectIds.length === 1 ? 'project' : 'projects'}`,
  },
  { id: 'started', name: 'Declared', cell: ({ startedAt }) => <When at={startedAt} /> },
  {
    id: 'resolved',
    name: 'Resolved',
    cell: ({ resolvedAt }) => (resolvedAt === null ? <span className="quiet">Not yet</span> : <When at={resolvedAt} />),
  },
];

const resolveColumn = (end: (incident: Incident) => void): TableColumn<Incident> => ({
  id: 'resolve',
  name: 'Actions',
  isNameHidden: true,
  align: 'end',
  cell: (incident) =>
    incident.status === 'ONGOING' && (
      <Button small onPress={() => end(incident)} aria-label={`Resolve: ${incident.summary}`}>
        Resolve
      </Button>
    ),
});

interface ResolveProps {
  readonly incident: Incident;
  readonly close: () => void;
}

function ResolveDialog({ incident: { incidentId, summary }, close }: ResolveProps) {
  const change = useChange(ResolveIncidentDocument);
  const run = async () => {
    if ((await change.run({ incident: incidentId })) === undefined) return;
    announce('The incident is resolved.');
    close();
  };
  return (
    <Modal
      kind="alert"
      title="Resolve the incident?"
      isOpen
      close={close}
      foot={
        <>
          <Button onPress={close}>Cancel</Button>
          <Button variant="primary" isPending={change.busy} onPress={() => void run()}>
            Resolve
          </Button>
        </>
      }
    >
      <p>
        <bdi>{summary}</bdi>
      </p>
      <p className="quiet">Its users are told that it is over. It cannot be opened again.</p>
      <ErrorNote error={change.error} />
    </Modal>
  );
}
