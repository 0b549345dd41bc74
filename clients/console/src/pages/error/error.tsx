import './error.css';
import { Badge, StateBadge } from '../../design/badge.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Select } from '../../design/field.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { Skeleton } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useEvery } from '../../graph/use-settled.ts';
import { useSearch } from '../../search.ts';
import { FailuresChart, type ReleaseSeen } from '../errors/failures-chart.tsx';
import { askEveryMs, sinceHours, spanOf, spans } from '../errors/spans.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { FailureCountsDocument, FailureDocument, type FailureQuery } from './error.graphql.ts';

type Failure = NonNullable<FailureQuery['errorFingerprint']>;

interface ErrorProps {
  readonly project: string;
  readonly fingerprint: string;
}

/** One failure: when and in which releases it occurs, its stack, its samples, and commands that lead to its logs. */
export default function ErrorPage({ project, fingerprint }: ErrorProps) {
  const answer = useAsk(FailureDocument, { project, fingerprint });
  useEvery(askEveryMs, answer.again);
  const { project: owner, errorFingerprint: failure } = answer.data ?? {};
  return (
    <Page
      title={failure == null ? 'Failure' : failure.errorName}
      lead={failure?.messageTemplate}
      crumbs={[...projectCrumbs(owner?.organization, owner), ['Errors', `/projects/${project}/errors`]]}
    >
      <ErrorNote error={answer.error} retry={answer.again} />
      {failure === undefined && answer.error === undefined && <Skeleton lines={8} />}
      {failure != null && (
        <div className="failure">
          <div className="failure-main">
            <OverTime project={project} fingerprint={fingerprint} failure={failure} />
            <Frames failure={failure} />
            <Section title="Samples" about="The first and the newest occurrences, newest first.">
              <Table
                label="Samples, newest first"
                columns={columnsOf(failure)}
                rows={samplesOf(failure)}
                keyOf={({ sampleId, at }) => `${sampleId} ${at}`}
                empty={null}
              />
            </Section>
            <NextSteps failure={failure} />
          </div>
          <Details failure={failure} />
        </div>
      )}
    </Page>
  );
}

/** Which data the fingerprint was made from. */
const madeFrom: Readonly<Record<Failure['quality'], string>> = {
  FRAME_NAMES: 'names on its stack, and its message',
  MESSAGE_ONLY: 'its message',
  COARSE: 'the place where it was reported',
};

function Details({ failure }: { readonly failure: Failure }) {
  const { alsoSeenInFunctions: others } = failure;
  return (
    <aside className="failure-details" aria-label="Details">
      <Facts
        facts={[
          ['Times', failure.count.toLocaleString()],
          ['Kind', <StateBadge key="kind" value={failure.kind} mood="warn" />],
          ['Function', <code key="function">{failure.function}</code>],
          ['Also in', others.length === 0 ? null : others.join(', ')],
          ['First', <Seen key="first" at={failure.firstSeen} release={failure.firstSeenReleaseId} />],
          ['Last', <Seen key="last" at={failure.lastSeen} release={failure.lastSeenReleaseId} />],
          [
            'Identity',
            <span key="identity">
              <code>{failure.fingerprintId}</code>, made from {madeFrom[failure.quality]}
            </span>,
          ],
        ]}
      />
    </aside>
  );
}

const Seen = ({ at, release }: { readonly at: string; readonly release: string | null }) => (
  <>
    <When at={at} />{' '}
    {release === null ? (
      <span className="quiet">no release reported</span>
    ) : (
      <span>
        under <code>{release}</code>
      </span>
    )}
  </>
);

/** The releases that the failure is known to have occurred in. */
function releasesOf({ firstSeenReleaseId, firstSeen, recentSamples }: Failure): readonly ReleaseSeen[] {
  const first = new Map<string, string>();
  for (const { releaseId, at } of recentSamples) if (releaseId !== null) first.set(releaseId, at);
  if (firstSeenReleaseId !== null) first.set(firstSeenReleaseId, firstSeen);
  const seen = [...first].map(([release, at]): ReleaseSeen => ({ release, at }));
  return seen.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function OverTime({ project, fingerprint, failure }: ErrorProps & { readonly failure: Failure }) {
  const [time, setTime] = useSearch('time', '24');
  const { id, hours, bucket } = spanOf(time);
  const answer = useAsk(FailureCountsDocument, { project, fingerprint, since: sinceHours(hours), bucket });
  useEvery(askEveryMs, answer.again);
  const counts = answer.data?.errorFingerprint?.counts;
  return (
    <Section title="Over time" actions={<Select label="Time" options={spans} value={id} onChange={setTime} />}>
      <ErrorNote error={answer.error} retry={answer.again} />
      {counts === undefined ? (
        answer.error === undefined && <Skeleton lines={6} />
      ) : (
        <FailuresChart counts={counts} releases={releasesOf(failure)} />
      )}
    </Section>
  );
}

function Frames({ failure: { stableFrames } }: { readonly failure: Failure }) {
  return (
    <Section title="Stack" about="Names that stay the same from release to release, innermost first.">
      {stableFrames.length === 0 ? (
        <p className="quiet">The stack of this error has no stable names.</p>
      ) : (
        <CodeBlock title="Stable frames, innermost first" code={stableFrames.join('\n')} />
      )}
    </Section>
  );
}

type Sample = Failure['firstSample'];

const isSame = (one: Sample, other: Sample) => one.sampleId === other.sampleId && one.at === other.at;

const samplesOf = ({ firstSample, recentSamples }: Failure): readonly Sample[] =>
  recentSamples.some((sample) => isSame(sample, firstSample)) ? recentSamples : [...recentSamples, firstSample];

const columnsOf = ({ firstSample }: Failure): readonly TableColumn<Sample>[] => [
  {
    id: 'sample',
    name: 'Request or run',
    grows: true,
    cell: (sample) => (
      <>
        <code>{sample.sampleId}</code> {isSame(sample, firstSample) && <Badge>first</Badge>}
      </>
    ),
  },
  {
    id: 'release',
    name: 'Release',
    cell: ({ releaseId }) => (releaseId === null ? <span className="quiet">None</span> : <code>{releaseId}</code>),
  },
  { id: 'at', name: 'When', align: 'end', cell: ({ at }) => <When at={at} /> },
];

function NextSteps({ failure: { nextActions } }: { readonly failure: Failure }) {
  if (nextActions.length === 0) return null;
  return (
    <Section title="Next steps">
      <ul className="failure-steps" aria-label="Next steps">
        {nextActions.map(({ command, why }) => (
          <li key={String(command)}>
            <CodeBlock title={String(why)} code={String(command)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
