import { useState } from 'react';
import { useFeed } from '../graph/use-feed.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded, Loading } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { AuditReport } from './audit-report.tsx';
import { AuditDocument, AuditStatsDocument, type AuditSubscription } from './audits.graphql.ts';

type Step = AuditSubscription['auditProgress'];

/** Starts audits of sites, shows their progress step by step, and then their scores. */
export default function Audits() {
  const [asked, setAsked] = useState<{ readonly url: string; readonly run: number }>();
  return (
    <Page title="Audits" lead="How well a site can be read by AI: robots.txt, the page, its structured data, llms.txt.">
      <Card title="Audit a site">
        <Form
          label="Audit a site"
          className="row"
          send={(values) => {
            setAsked({ url: textOf(values, 'url'), run: (asked?.run ?? 0) + 1 });
            return false;
          }}
        >
          <Field label="Address">
            <input name="url" required placeholder="example.com" autoComplete="url" />
          </Field>
          <button type="submit" className="main">
            Audit
          </button>
        </Form>
      </Card>
      {asked !== undefined && <Run key={asked.run} url={asked.url} />}
      <Recent />
    </Page>
  );
}

function Run({ url }: { readonly url: string }) {
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const report = steps.at(-1)?.report;
  // A finished audit sends no more events.
  const error = useFeed(AuditDocument, report == null ? { url } : undefined, ({ auditProgress }) =>
    // After a reconnect the gateway sends the audit's steps from the first one; known steps are kept.
    setSteps((now) => (now.some((step) => isSame(step, auditProgress)) ? now : [...now, auditProgress])),
  );
  return (
    <>
      <Card title="Progress">
        <div role="log" aria-label="Steps of the audit">
          <ol className="steps">
            {steps.map((step) => (
              <li key={`${step.stage} ${step.at} ${step.document} ${step.host}`}>
                <When at={step.at} exact />
                <span>{said(step)}</span>
              </li>
            ))}
          </ol>
        </div>
        {report == null && error === undefined && <Loading />}
        <ErrorNote error={error} />
      </Card>
      {report != null && <AuditReport report={report} />}
    </>
  );
}

const isSame = (one: Step, other: Step) =>
  one.stage === other.stage && one.at === other.at && one.document === other.document && one.host === other.host;

const documents: Readonly<Record<NonNullable<Step['document']>, string>> = {
  LLMS: 'llms.txt',
  LLMS_FULL: 'llms-full.txt',
  PAGE: 'the page',
  ROBOTS: 'robots.txt',
  SITEMAP: 'the sitemap',
};

/** Describes a step in words. */
function said({ stage, ahead, host, document, status, bytes }: Step): string {
  switch (stage) {
    case 'QUEUED':
      return `Waiting; ${ahead ?? 0} before it`;
    case 'RESOLVED':
      return `${host} is found`;
    case 'CONNECTED':
      return `Connected to ${host}`;
    case 'FETCHED': {
      const what = document === null ? 'a document' : documents[document];
      return status === null
        ? `No answer for ${what}`
        : `Read ${what}: ${status}, ${(bytes ?? 0).toLocaleString()} bytes`;
    }
    case 'ANALYSING':
      return 'All is read, and is judged now';
    case 'FINISHED':
      return 'Finished';
  }
}

function Recent() {
  const answer = useAsk(AuditStatsDocument, {});
  return (
    <Card title="Recent audits">
      <Loaded answer={answer}>
        {({ auditStats: stats }) =>
          stats !== null && (
            <>
              <dl className="numbers">
                <div>
                  <dt>Audits</dt>
                  <dd>{stats.total.toLocaleString()}</dd>
                </div>
                <div>
                  <dt>In 24 hours</dt>
                  <dd>{stats.last24h.toLocaleString()}</dd>
                </div>
                <div>
                  <dt>Sites</dt>
                  <dd>{stats.uniqueDomains.toLocaleString()}</dd>
                </div>
                <div>
                  <dt>Average score</dt>
                  <dd>{stats.averageGeoScore === null ? '—' : Math.round(stats.averageGeoScore)}</dd>
                </div>
              </dl>
              {stats.recentDomains.length === 0 ? (
                <Empty title="No site yet" />
              ) : (
                <ul className="list" aria-label="Recently audited sites">
                  {stats.recentDomains.map(({ domain, geoScore, auditedAt }) => (
                    <li key={domain} className="line">
                      <span className="grows">{domain}</span>
                      <Tag value={String(geoScore)} mood={geoScore >= 75 ? 'good' : geoScore >= 45 ? 'warn' : 'bad'} />
                      <When at={auditedAt} />
                    </li>
                  ))}
                </ul>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
