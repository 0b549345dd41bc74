import './functions.css';
import { Lock, SquareFunction } from 'lucide-react';
import { count } from '../../design/amounts.ts';
import { Badge } from '../../design/badge.tsx';
import { Select } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { FunctionCharts } from './function-charts.tsx';
import { chartsEveryMs, type Metrics, milliseconds, rangeOf, ranges } from './function-types.ts';
import { FunctionsDocument, type FunctionsQuery } from './functions.graphql.ts';

type Project = NonNullable<FunctionsQuery['project']>;
type Listed = NonNullable<Project['functions']>[number] & {
  readonly figures: Metrics['functions'][number] | undefined;
};

/** The functions of a project's live release, with how often they are called, fail and how long they take. */
export default function FunctionsPage({ project: id }: { readonly project: string }) {
  const [range, setRange] = useSearch('range', 'day');
  const answer = useAsk(FunctionsDocument, { project: id, range: rangeOf(range).value });
  useWhileVisible(chartsEveryMs, answer.again);
  const project = answer.data?.project;
  return (
    <Page
      title="Functions"
      lead="Code of the project that answers requests, runs in the background and by schedules."
      crumbs={projectCrumbs(project?.organization, project)}
    >
      {project != null && !mayOn(project, 'project:functions:read') ? (
        <State icon={Lock} title="You cannot see the functions">
          Members of the organization see them, and whoever has a grant to read the project.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found === null ? (
              <State icon={SquareFunction} title="Project not found">
                It was deleted, or you have no access to it.
              </State>
            ) : found.functions == null || found.functions.length === 0 ? (
              <State icon={SquareFunction} title="No functions yet">
                They come with a release: <code>svc up</code> deploys what a folder declares.
              </State>
            ) : (
              <>
                <Filters>
                  <Select label="Time" options={ranges} value={rangeOf(range).id} onChange={setRange} />
                </Filters>
                {found.functionMetrics !== null && <FunctionCharts metrics={found.functionMetrics} />}
                <Section title="Live functions">
                  <Table
                    label="Functions"
                    columns={columns}
                    rows={listed(found)}
                    keyOf={({ name }) => name}
                    linkOf={({ name }) => `/projects/${id}/functions/${name}`}
                    empty={null}
                  />
                </Section>
              </>
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

function listed({ functions, functionMetrics }: Project): readonly Listed[] {
  const figures = new Map(functionMetrics?.functions.map((one) => [one.name, one]));
  return (functions ?? []).map((one) => ({ ...one, figures: figures.get(one.name) }));
}

/** The soonest moment of all schedules. */
const nextOf = ({ schedules }: Listed): string | undefined =>
  schedules.flatMap(({ nextRunAt }) => nextRunAt ?? []).sort()[0];

const columns: readonly TableColumn<Listed>[] = [
  { id: 'name', name: 'Function', grows: true, cell: ({ name }) => <code>{name}</code> },
  {
    id: 'called',
    name: 'Called by',
    isExtra: true,
    cell: ({ routes, requireAuth, class: kind }) => (
      <span className="function-badges">
        {routes.length === 0 ? 'Name alone' : <code className="bare">{routes[0]!.pattern}</code>}
        {routes.length > 1 && <span className="quiet small">and {routes.length - 1} more</span>}
        {requireAuth && <Badge icon={Lock}>Gate</Badge>}
        {kind === 'ssr' && <Badge>SSR</Badge>}
      </span>
    ),
  },
  { id: 'calls', name: 'Calls', align: 'end', cell: ({ figures }) => count(figures?.calls ?? 0) },
  {
    id: 'errors',
    name: 'Errors',
    align: 'end',
    cell: ({ figures }) =>
      (figures?.errors ?? 0) === 0 ? count(0) : <Badge mood="bad">{count(figures!.errors)}</Badge>,
  },
  { id: 'p50', name: 'p50', align: 'end', isExtra: true, cell: ({ figures }) => milliseconds(figures?.p50Ms ?? null) },
  { id: 'p95', name: 'p95', align: 'end', cell: ({ figures }) => milliseconds(figures?.p95Ms ?? null) },
  {
    id: 'next',
    name: 'Next run',
    isExtra: true,
    cell: (one) => {
      const next = nextOf(one);
      return next === undefined ? '' : <When at={next} />;
    },
  },
  { id: 'updated', name: 'Changed', align: 'end', isExtra: true, cell: ({ updatedAt }) => <When at={updatedAt} /> },
];
