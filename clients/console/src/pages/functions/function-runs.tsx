import { History, SearchX } from 'lucide-react';
import { enumName } from '../../design/badge.tsx';
import { Select } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { FunctionRunsDocument, type FunctionRunsQuery } from './functions.graphql.ts';
import { RunStatus } from './run-status.tsx';

type Run = NonNullable<NonNullable<FunctionRunsQuery['project']>['functionRuns']>['edges'][number]['node'];
type Status = Run['status'];

const statuses = [
  'SCHEDULED',
  'QUEUED',
  'RUNNING',
  'RETRYING',
  'BLOCKED',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'EXPIRED',
] as const satisfies readonly Status[];

const options = [{ id: 'any', name: 'Any state' }, ...statuses.map((id) => ({ id, name: enumName(id) }))];

/** How often the list is read again while the page is visible, in milliseconds. */
const everyMs = 5_000;

/** The runs of a function, newest first. */
export function FunctionRuns({ project, name }: { readonly project: string; readonly name: string }) {
  const [asked, setAsked] = useSearch('status', 'any');
  const status = statuses.find((one) => one === asked) ?? null;
  const pages = usePages(String(status));
  const answer = useAsk(FunctionRunsDocument, { project, name, status, after: pages.after ?? null });
  useExistingPage(pages, answer.error);
  useWhileVisible(everyMs, answer.again);
  return (
    <>
      <Filters>
        <Select label="State" options={options} value={status ?? 'any'} onChange={setAsked} />
      </Filters>
      <Loaded answer={answer}>
        {({ project: found }) => (
          <>
            <Table
              label="Runs"
              columns={columns}
              rows={found?.functionRuns?.edges.map(({ node }) => node) ?? []}
              keyOf={({ runId }) => runId}
              linkOf={({ runId }) => `/projects/${project}/functions/${name}/runs/${runId}`}
              empty={
                status !== null || pages.back !== undefined ? (
                  <State icon={SearchX} title="No run fits">
                    Choose another state.
                  </State>
                ) : (
                  <State icon={History} title="No runs yet">
                    A run has the function called in the background, again until it succeeds. Schedules make them, and
                    so does <code>svc functions runs create {name}</code>.
                  </State>
                )
              }
            />
            <Pager pages={pages} info={found?.functionRuns?.pageInfo} list="runs" />
          </>
        )}
      </Loaded>
    </>
  );
}

/** What made a run, in words. */
export function sourceOf(source: unknown): string {
  const { type, trigger_id: trigger, mode } = source as Readonly<Record<string, string | undefined>>;
  if (type === 'api') return 'API';
  const made = type === 'email' ? 'Mail' : mode === 'manual' ? 'By hand' : enumName(type ?? 'unknown');
  return trigger === undefined ? made : `${made}, ${trigger}`;
}

const columns: readonly TableColumn<Run>[] = [
  { id: 'run', name: 'Run', cell: ({ runId }) => <code>{runId}</code> },
  { id: 'status', name: 'State', cell: ({ status }) => <RunStatus status={status} /> },
  {
    id: 'event',
    name: 'Event',
    grows: true,
    cell: ({ eventType, lastError }) => (
      <span className="function-event">
        <span>{eventType}</span>
        {lastError !== null && <code className="bare small quiet">{lastError.code}</code>}
      </span>
    ),
  },
  { id: 'source', name: 'Made by', isExtra: true, cell: ({ source }) => sourceOf(source) },
  {
    id: 'attempts',
    name: 'Attempts',
    align: 'end',
    cell: ({ attempts: { current, max } }) => `${current} of ${max}`,
  },
  { id: 'at', name: 'Runs at', align: 'end', cell: ({ runAt }) => <When at={runAt} /> },
];
