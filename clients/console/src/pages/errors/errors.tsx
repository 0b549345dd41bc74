import { Bug, Lock } from 'lucide-react';
import './errors.css';
import { ErrorNote } from '../../design/error-note.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Section } from '../../design/section.tsx';
import { Sparkline } from '../../design/sparkline.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useLiveQuery } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { ErrorsDocument, type ErrorsQuery, FollowNewFailuresDocument } from './errors.graphql.ts';
import { FailuresChart, releasesOf } from './failures-chart.tsx';
import { askEveryMs, sinceHours, spanOf, spans } from './spans.ts';
import { Verdict } from './verdict.tsx';

type Errors = NonNullable<NonNullable<ErrorsQuery['project']>['errors']>;
type Failure = Errors['edges'][number]['node'];

/** Failures of a project's functions, with the verdict on new ones, as they occur. */
export default function ErrorsPage({ project }: { readonly project: string }) {
  const [time, setTime] = useSearch('time', '24');
  const newIn = useTypedSearch('newIn');
  const named = useTypedSearch('function');
  const { hours, bucket } = spanOf(time);
  const filter = { newIn: newIn.applied || null, function: named.applied || null };
  const pages = usePages(JSON.stringify([hours, filter]));
  // A feed reports failures that are new in a release. Polling finds repeated ones and runs.
  const answer = useLiveQuery(
    ErrorsDocument,
    { project, since: sinceHours(hours), ...filter, after: pages.after, bucket },
    FollowNewFailuresDocument,
    { following: { project }, from: (data) => data.project?.events?.cursor, everyMs: askEveryMs },
  );
  const found = answer.data?.project;
  const errors = found?.errors;
  return (
    <Page title="Errors" lead="Errors of the project’s functions." crumbs={projectCrumbs(found?.organization, found)}>
      <ErrorNote error={answer.error} retry={answer.again} />
      {found !== undefined && errors == null ? (
        <State icon={Lock} title="You may not read these errors">
          An owner of the organization can grant you the right to read the project.
        </State>
      ) : (
        <>
          {errors == null ? answer.error === undefined && <Skeleton lines={3} /> : <Verdict verdict={errors.verdict} />}
          <Filters>
            <Select label="Time" options={spans} value={spanOf(time).id} onChange={setTime} />
            <TextField
              label="New in release"
              placeholder="A release, or active"
              value={newIn.typed}
              onChange={newIn.type}
            />
            <TextField label="Function" placeholder="All functions" value={named.typed} onChange={named.type} />
          </Filters>
          {errors == null ? (
            answer.error === undefined && <Skeleton lines={8} />
          ) : (
            <>
              <FailuresChart counts={errors.counts} releases={releasesOf(errors.edges.map(({ node }) => node))} />
              <Section title="Errors">
                <Table
                  label="Errors"
                  columns={columns}
                  rows={errors.edges.map(({ node }) => node)}
                  keyOf={({ fingerprintId, function: name }) => `${fingerprintId} ${name}`}
                  linkOf={({ fingerprintId }) => `/projects/${project}/errors/${encodeURIComponent(fingerprintId)}`}
                  empty={
                    <State icon={Bug} title="No errors in this time">
                      Functions report their errors with the project’s service key.
                    </State>
                  }
                />
                <Pager pages={pages} info={errors.pageInfo} list="errors" />
              </Section>
            </>
          )}
        </>
      )}
    </Page>
  );
}

const columns: readonly TableColumn<Failure>[] = [
  {
    id: 'failure',
    name: 'Failure',
    grows: true,
    cell: ({ errorName, messageTemplate }) => (
      <span className="failure-name" dir="auto">
        {errorName}: <span className="failure-message">{messageTemplate}</span>
      </span>
    ),
  },
  {
    id: 'function',
    name: 'Function',
    cell: ({ function: name, alsoSeenInFunctions: others }) => (
      <span title={others.length === 0 ? undefined : `Also in ${others.join(', ')}`}>
        <code>{name}</code>
        {others.length > 0 && <span className="quiet small"> and {others.length} more</span>}
      </span>
    ),
  },
  { id: 'trend', name: 'Trend', cell: ({ counts }) => <Sparkline values={counts.values} /> },
  { id: 'count', name: 'Count', align: 'end', cell: ({ count }) => count.toLocaleString() },
  {
    id: 'first',
    name: 'First seen',
    cell: ({ firstSeen, firstSeenReleaseId }) => (
      <>
        <When at={firstSeen} /> {firstSeenReleaseId !== null && <code className="small">{firstSeenReleaseId}</code>}
      </>
    ),
  },
  { id: 'last', name: 'Last seen', align: 'end', cell: ({ lastSeen }) => <When at={lastSeen} /> },
];
