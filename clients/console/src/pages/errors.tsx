import { useState } from 'react';
import { useLiveQuery } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, usePages } from '../parts/more-pages.tsx';
import { Page } from '../parts/page.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { Link } from '../router.tsx';
import { ErrorsDocument, type ErrorsQuery, FollowNewFailuresDocument } from './errors.graphql.ts';
import { askEveryMs, bucketOf, ErrorsChart, sinceHours, spans } from './errors-chart.tsx';
import { projectCrumbs } from './project-crumbs.ts';

type Errors = NonNullable<NonNullable<ErrorsQuery['project']>['errors']>;

interface ErrorFilters {
  readonly hours: number;
  readonly newIn: string | null;
  readonly function: string | null;
}

/** Failures of a project's functions, with the verdict on new ones, as they occur. */
export default function ErrorsPage({ project }: { readonly project: string }) {
  const [asked, setAsked] = useState<ErrorFilters>({ hours: 24, newIn: null, function: null });
  const pages = usePages(JSON.stringify(asked));
  const { hours, newIn, function: named } = asked;
  // A feed reports failures that are new in a release. Polling finds repeated ones and runs.
  const answer = useLiveQuery(
    ErrorsDocument,
    { project, since: sinceHours(hours), newIn, function: named, after: pages.after, bucket: bucketOf(hours) },
    FollowNewFailuresDocument,
    { following: { project }, from: (data) => data.project?.events?.cursor, everyMs: askEveryMs },
  );
  const found = answer.data?.project;
  return (
    <Page title="Errors" crumbs={projectCrumbs(found?.organization, found)}>
      <Card title="What to show">
        <Form
          label="What to show"
          className="row"
          send={(values) => {
            setAsked({
              hours: Number(textOf(values, 'hours')),
              newIn: textOf(values, 'newIn') || null,
              function: textOf(values, 'function') || null,
            });
            answer.again();
            return false;
          }}
        >
          <Field label="When">
            <select name="hours" defaultValue={24}>
              {spans.map((span) => (
                <option key={span.hours} value={span.hours}>
                  {span.name}
                </option>
              ))}
            </select>
          </Field>
          <Field label="New in release">
            <input name="newIn" placeholder="a release, or active" />
          </Field>
          <Field label="Function">
            <input name="function" />
          </Field>
          <button type="submit">Show</button>
        </Form>
      </Card>
      <Loaded answer={answer}>
        {({ project: shown }) =>
          shown?.errors == null ? (
            <Empty title="You may not read these errors" />
          ) : (
            <>
              <Verdict errors={shown.errors} />
              <Card title="Over time">
                <ErrorsChart counts={shown.errors.counts} />
              </Card>
              <List project={project} errors={shown.errors} />
              <MorePages pages={pages} info={shown.errors.pageInfo} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Verdict({ errors: { verdict } }: { readonly errors: Errors }) {
  const { newFingerprints, invocationsInWindow, comparedReleaseId, baselineReleaseId } = verdict;
  const silent = invocationsInWindow === 0;
  return (
    <Card title="Verdict">
      <p className={`note ${newFingerprints > 0 ? 'bad' : silent ? 'warn' : 'good'}`}>
        {newFingerprints > 0
          ? `${newFingerprints} ${newFingerprints === 1 ? 'failure is' : 'failures are'} new.`
          : silent
            ? 'No traffic yet: nothing was run, so nothing could fail.'
            : 'No new failures.'}
        {comparedReleaseId !== null &&
          ` Release ${comparedReleaseId} was compared with ${baselineReleaseId ?? 'none'}.`}
      </p>
      <dl className="numbers">
        <div>
          <dt>New</dt>
          <dd>{newFingerprints.toLocaleString()}</dd>
        </div>
        <div>
          <dt>Seen before</dt>
          <dd>{verdict.recurringFingerprints.toLocaleString()}</dd>
        </div>
        <div>
          <dt>Runs</dt>
          <dd>{invocationsInWindow.toLocaleString()}</dd>
        </div>
        <div>
          <dt>Functions fully reported</dt>
          <dd>{verdict.fullFidelityFunctions.toLocaleString()}</dd>
        </div>
      </dl>
      {verdict.atCap && (
        <p className="note warn">{verdict.rowCap.toLocaleString()} are kept; the oldest were removed.</p>
      )}
    </Card>
  );
}

function List({ project, errors: { edges } }: { readonly project: string; readonly errors: Errors }) {
  return (
    <Card title="Failures">
      {edges.length === 0 ? (
        <Empty title="None in this time">Functions report their failures with the project’s service key.</Empty>
      ) : (
        <ul className="list" aria-label="Failures">
          {edges.map(({ node }) => (
            <li key={`${node.fingerprintId} ${node.function}`} className="stack">
              <div className="line">
                <strong className="grows">
                  <Link to={`/projects/${project}/errors/${encodeURIComponent(node.fingerprintId)}`}>
                    {node.errorName}: {node.messageTemplate}
                  </Link>
                </strong>
                <Tag value={node.kind} mood="warn" />
                <Sparkline values={node.counts.values} />
                <span className="small">{node.count === 1 ? 'once' : `${node.count.toLocaleString()} times`}</span>
              </div>
              <div className="line small quiet">
                <span>in {node.function}</span>
                <span>
                  first <When at={node.firstSeen} />
                  {node.firstSeenReleaseId !== null && ` under ${node.firstSeenReleaseId}`}
                </span>
                <span>
                  last <When at={node.lastSeen} />
                </span>
                {node.stableFrames.length > 0 && <code>{node.stableFrames.join(' ← ')}</code>}
                {node.alsoSeenInFunctions.length > 0 && <span>also in {node.alsoSeenInFunctions.join(', ')}</span>}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
