import './functions.css';
import { SquareFunction } from 'lucide-react';
import type { ReactNode } from 'react';
import { Select } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { FunctionCall } from './function-call.tsx';
import { FunctionCharts } from './function-charts.tsx';
import { FunctionLogs } from './function-logs.tsx';
import { FunctionRuns } from './function-runs.tsx';
import { FunctionSchedules } from './function-schedules.tsx';
import { FunctionSettings } from './function-settings.tsx';
import { chartsEveryMs, type FunctionProject, rangeOf, ranges, type ShownFunction } from './function-types.ts';
import { FunctionDocument, FunctionMetricsDocument } from './functions.graphql.ts';

interface FunctionPageProps {
  readonly project: string;
  readonly name: string;
}

/** A function of the live release. The address holds the tab and what it is filtered by. */
export default function FunctionPage({ project: id, name }: FunctionPageProps) {
  const answer = useAsk(FunctionDocument, { project: id });
  const project = answer.data?.project;
  return (
    <Page
      title={name}
      crumbs={[...projectCrumbs(project?.organization, project), ['Functions', `/projects/${id}/functions`]]}
    >
      <Loaded answer={answer}>
        {({ project: found }) => {
          const fn = found?.functions?.find((one) => one.name === name);
          return found === null || fn === undefined ? (
            <State icon={SquareFunction} title="Function not found">
              The live release has no such function, or you have no access to it.
            </State>
          ) : (
            <FunctionTabs project={found} fn={fn} />
          );
        }}
      </Loaded>
    </Page>
  );
}

function FunctionTabs({ project, fn }: { readonly project: FunctionProject; readonly fn: ShownFunction }) {
  const [tab, setTab] = useSearch('tab', 'overview');
  const { projectId } = project;
  const mayRun = mayOn(project, 'project:functions:run');
  const of = { project: projectId, name: fn.name };
  const page = (id: string, name: string, content: ReactNode) => ({
    id,
    name,
    content: <div className="function-tab">{content}</div>,
  });
  const overview = (
    <>
      <Traffic {...of} />
      <FunctionSettings project={projectId} fn={fn} mayWrite={mayOn(project, 'project:functions:write')} />
    </>
  );
  return (
    <Tabs
      label="Function"
      selected={tab}
      select={setTab}
      pages={[
        page('overview', 'Overview', overview),
        page('logs', 'Logs', <FunctionLogs {...of} />),
        page('runs', 'Runs', <FunctionRuns {...of} />),
        page('schedules', 'Schedules', <FunctionSchedules project={projectId} fn={fn} mayRun={mayRun} />),
        ...(mayRun ? [page('call', 'Call', <FunctionCall {...of} requireAuth={fn.requireAuth} />)] : []),
      ]}
    />
  );
}

function Traffic({ project, name }: { readonly project: string; readonly name: string }) {
  const [range, setRange] = useSearch('range', 'day');
  const answer = useAsk(FunctionMetricsDocument, { project, name, range: rangeOf(range).value });
  useWhileVisible(chartsEveryMs, answer.again);
  return (
    <Section
      title="Traffic"
      actions={<Select label="Time" options={ranges} value={rangeOf(range).id} onChange={setRange} />}
    >
      <Loaded answer={answer} loading={<Skeleton lines={6} />}>
        {({ project: found }) => found?.functionMetrics != null && <FunctionCharts metrics={found.functionMetrics} />}
      </Loaded>
    </Section>
  );
}
