import { Network } from 'lucide-react';
import { bytes } from '../../design/amounts.ts';
import { Badge, type Mood } from '../../design/badge.tsx';
import { Chart, type Series } from '../../design/chart.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Panel, Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useEvery } from '../../graph/use-settled.ts';
import { AdminPage } from './admin-page.tsx';
import { AboutDocument } from './installation.graphql.ts';
import { type NodeHistory, type SeenNode, useNodeHistory } from './node-history.ts';
import { NodesDocument } from './nodes.graphql.ts';
import { full } from './words.ts';

/** Interval at which nodes are asked for, in milliseconds. Each node reports every ten seconds. */
const askEveryMs = 5_000;

/** A chart tells so many series apart. */
const seriesMax = 4;

/** The gateways that serve this installation, as they are now. */
export default function Nodes() {
  return (
    <AdminPage title="Nodes" lead="The gateways that serve this installation. Each node reports every ten seconds.">
      <Live />
      <About />
    </AdminPage>
  );
}

function Live() {
  const answer = useAsk(NodesDocument, {});
  useEvery(askEveryMs, answer.again);
  const answering = answer.data?.installation?.nodeId;
  const history = useNodeHistory(answer.data?.installation?.nodes ?? undefined);
  return (
    <>
      <Loaded answer={answer}>
        {() => (
          <Table
            label="Nodes"
            columns={columnsOf(answering)}
            rows={history.nodes}
            keyOf={({ nodeId }) => nodeId}
            empty={<State icon={Network} title="No node has reported yet" />}
          />
        )}
      </Loaded>
      <Section
        title="While this page is open"
        about="The charts begin when you open the page: the gateway keeps no history. For days and weeks, have Prometheus read /metrics."
      >
        <div className="charts">
          <Panel title="Delay of the event loop" about="The 99th percentile. Requests feel slow above 50 ms.">
            <Chart
              title="Delay of the event loop"
              times={history.moments.map(({ at }) => at)}
              series={seriesOf(history, 'lag')}
              format={(value) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ms`}
              steps="any"
              emptyTitle="The first values arrive in a few seconds"
            />
          </Panel>
          <Panel title="Memory" about="Of the process. It grows with sockets and caches, and levels off.">
            <Chart
              title="Memory"
              times={history.moments.map(({ at }) => at)}
              series={seriesOf(history, 'memory')}
              format={bytes}
              steps="binary"
              emptyTitle="The first values arrive in a few seconds"
            />
          </Panel>
        </div>
        {history.nodes.length > seriesMax && (
          <p className="quiet small">The charts show the {seriesMax} nodes that started last.</p>
        )}
      </Section>
    </>
  );
}

/** The series of a chart; none as long as there is one moment alone, which makes no line. */
const seriesOf = ({ nodes, moments }: NodeHistory, what: 'lag' | 'memory'): readonly Series[] =>
  (moments.length < 2 ? [] : nodes.slice(0, seriesMax)).map(({ nodeId, host, pid }) => ({
    name: `${host} ${pid}`,
    values: moments.map((moment) => moment[what][nodeId] ?? null),
  }));

const moods: Readonly<Record<SeenNode['state'], Mood>> = { ALIVE: 'good', GONE: 'bad', STOPPED: 'plain' };
const names: Readonly<Record<SeenNode['state'], string>> = { ALIVE: 'Alive', GONE: 'Gone', STOPPED: 'Stopped' };

const columnsOf = (answering: string | undefined): readonly TableColumn<SeenNode>[] => [
  {
    id: 'node',
    name: 'Node',
    cell: ({ nodeId, host, pid, version }) => (
      <span className="named">
        <span>
          {host} <span className="quiet">{pid}</span>
        </span>
        <span className="quiet small">
          {version}
          {nodeId === answering && ', answers this page'}
        </span>
      </span>
    ),
  },
  { id: 'state', name: 'State', cell: ({ state }) => <Badge mood={moods[state]}>{names[state]}</Badge> },
  { id: 'url', name: 'Listens at', cell: ({ url }) => <code>{url}</code> },
  { id: 'started', name: 'Started', cell: ({ startedAt }) => <When at={startedAt} /> },
  { id: 'seen', name: 'Last report', cell: ({ seenAt }) => <When at={seenAt} /> },
  {
    id: 'lag',
    name: 'Delay',
    align: 'end',
    cell: ({ lagMs }) => `${lagMs.toLocaleString('en', { maximumFractionDigits: 1 })} ms`,
  },
  { id: 'memory', name: 'Memory', align: 'end', cell: ({ rssBytes }) => bytes(rssBytes) },
  {
    id: 'pool',
    name: 'Connections',
    align: 'end',
    cell: ({ poolTotal, poolIdle, poolWaiting }) => (
      <>
        {poolTotal - poolIdle} <span className="quiet">of {poolTotal}</span>
        {poolWaiting > 0 && <Badge mood="warn">{poolWaiting} wait</Badge>}
      </>
    ),
  },
  { id: 'sockets', name: 'Sockets', align: 'end', cell: ({ sockets }) => full(sockets) },
  { id: 'subscriptions', name: 'Subscriptions', align: 'end', cell: ({ subscriptions }) => full(subscriptions) },
];

const mailWords: Readonly<Record<string, string>> = { smtp: 'Goes out', outbox: 'Waits in the outbox' };
const paymentWords: Readonly<Record<string, string>> = {
  self: 'Settled by the gateway',
  facilitator: 'Settled by a facilitator',
  unavailable: 'Not taken',
};

const functionWords: Readonly<Record<string, string>> = {
  isolated: 'Isolated',
  trusted: 'Without isolation',
  unavailable: 'Not run',
};

function About() {
  const answer = useAsk(AboutDocument, {});
  return (
    <Section title="This installation">
      <Loaded answer={answer}>
        {({ installation }) =>
          installation !== null && (
            <div className="about">
              <Facts
                facts={[
                  ['Gateway', installation.version],
                  ['Node.js', installation.nodeVersion],
                  [
                    'PostgreSQL',
                    `${installation.postgresVersion}, ${installation.database === 'embedded' ? 'embedded' : 'external'}`,
                  ],
                  [
                    'Control database',
                    `${bytes(installation.databaseBytes)}, ${full(installation.migrations)} migrations`,
                  ],
                  ['Started', <When key="started" at={installation.startedAt} />],
                ]}
              />
              <Facts
                facts={[
                  ['Mode', installation.production ? 'Production' : 'Development'],
                  ['Leases', installation.leases ? 'On' : 'Off: organizations never expire'],
                  ['Mail', mailWords[installation.mail]],
                  ['Payments', paymentWords[installation.payments]],
                  [
                    'Functions',
                    [functionWords[installation.functions], installation.functionsReason].filter(Boolean).join(': '),
                  ],
                  ['Signals', installation.signals === 'nats' ? 'NATS, for several nodes' : 'Within one node'],
                  ['Data folder', <code key="folder">{installation.dataFolder}</code>],
                ]}
              />
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}
