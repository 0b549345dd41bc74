import { useState } from 'react';
import { useAsk } from '../graph/use-live-query.ts';
import { useEvery } from '../graph/use-settled.ts';
import { Card } from '../parts/card.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { FailureCountsDocument, FailureDocument, type FailureQuery } from './error.graphql.ts';
import { askEveryMs, bucketOf, ErrorsChart, sinceHours, spans } from './errors-chart.tsx';
import { projectCrumbs } from './project-crumbs.ts';

type Failure = NonNullable<FailureQuery['errorFingerprint']>;

interface ErrorProps {
  readonly project: string;
  readonly fingerprint: string;
}

/** One failure: its details, when and in which releases it occurs, and where its samples are. */
export default function ErrorPage({ project, fingerprint }: ErrorProps) {
  const answer = useAsk(FailureDocument, { project, fingerprint });
  useEvery(askEveryMs, answer.again);
  const { project: owner, errorFingerprint: found } = answer.data ?? {};
  return (
    <Page
      title={found == null ? 'Failure' : found.errorName}
      lead={found?.messageTemplate}
      crumbs={[...projectCrumbs(owner?.organization, owner), ['Errors', `/projects/${project}/errors`]]}
    >
      <Loaded answer={answer}>
        {({ errorFingerprint: failure }) =>
          failure !== null && (
            <>
              <div className="columns">
                <Facts failure={failure} />
                <Frames failure={failure} />
              </div>
              <OverTime project={project} fingerprint={fingerprint} />
              <Samples failure={failure} />
              <NextActions failure={failure} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Describes which data the fingerprint was made from. */
const madeFrom: Readonly<Record<Failure['quality'], string>> = {
  FRAME_NAMES: 'names on its stack, and its message',
  MESSAGE_ONLY: 'its message alone',
  COARSE: 'where it came to light alone',
};

function Facts({ failure }: { readonly failure: Failure }) {
  return (
    <Card title="Details" side={<Tag value={failure.kind} mood="warn" />}>
      <dl className="facts">
        <dt>Times</dt>
        <dd>{failure.count.toLocaleString()}</dd>
        <dt>Function</dt>
        <dd>{failure.function}</dd>
        {failure.alsoSeenInFunctions.length > 0 && (
          <>
            <dt>Also in</dt>
            <dd>{failure.alsoSeenInFunctions.join(', ')}</dd>
          </>
        )}
        <dt>First</dt>
        <dd>
          <When at={failure.firstSeen} /> <Release id={failure.firstSeenReleaseId} />
        </dd>
        <dt>Last</dt>
        <dd>
          <When at={failure.lastSeen} /> <Release id={failure.lastSeenReleaseId} />
        </dd>
        <dt>Identity</dt>
        <dd>
          <code>{failure.fingerprintId}</code>, made from {madeFrom[failure.quality]}
        </dd>
      </dl>
    </Card>
  );
}

function OverTime({ project, fingerprint }: ErrorProps) {
  const [hours, setHours] = useState(24);
  const since = sinceHours(hours);
  const answer = useAsk(FailureCountsDocument, { project, fingerprint, since, bucket: bucketOf(hours) });
  useEvery(askEveryMs, answer.again);
  return (
    <Card
      title="Over time"
      side={
        <select aria-label="Over which time" value={hours} onChange={(event) => setHours(Number(event.target.value))}>
          {spans.map((span) => (
            <option key={span.hours} value={span.hours}>
              {span.name}
            </option>
          ))}
        </select>
      }
    >
      <Loaded answer={answer}>
        {({ errorFingerprint: found }) => found !== null && <ErrorsChart counts={found.counts} />}
      </Loaded>
    </Card>
  );
}

const Release = ({ id }: { readonly id: string | null }) =>
  id === null ? (
    <span className="quiet">under no release</span>
  ) : (
    <>
      under <code>{id}</code>
    </>
  );

function Frames({ failure: { stableFrames } }: { readonly failure: Failure }) {
  return (
    <Card title="Stable frames">
      {stableFrames.length === 0 ? (
        <Empty title="None">Its stack has no names that stay the same from release to release.</Empty>
      ) : (
        <ol className="list" aria-label="Stable frames, innermost first">
          {stableFrames.map((frame, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a function that calls itself is there twice.
            <li key={`${at} ${frame}`}>
              <code>{frame}</code>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Samples({ failure: { firstSample, recentSamples } }: { readonly failure: Failure }) {
  const isFirst = ({ sampleId, at }: Failure['firstSample']) =>
    sampleId === firstSample.sampleId && at === firstSample.at;
  const samples = recentSamples.some(isFirst) ? recentSamples : [...recentSamples, firstSample];
  return (
    <Card title="Samples">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
      <section className="scrolls" tabIndex={0} aria-label="Samples, newest first">
        <table>
          <thead>
            <tr>
              <th scope="col">Request or run</th>
              <th scope="col">When</th>
              <th scope="col">Release</th>
            </tr>
          </thead>
          <tbody>
            {samples.map((sample) => (
              <tr key={`${sample.sampleId} ${sample.at}`}>
                <td>
                  <code>{sample.sampleId}</code> {isFirst(sample) && <Tag value="first" />}
                </td>
                <td>
                  <When at={sample.at} />
                </td>
                <td>{sample.releaseId === null ? '—' : <code>{sample.releaseId}</code>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

function NextActions({ failure: { nextActions } }: { readonly failure: Failure }) {
  return (
    <Card title="Next steps">
      <ul className="list" aria-label="Next steps">
        {nextActions.map(({ command, why }) => (
          <li key={String(command)} className="stack">
            <p>{String(why)}</p>
            <div className="line">
              <code className="grows">{String(command)}</code>
              <CopyButton what={String(command)} text={String(command)} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
