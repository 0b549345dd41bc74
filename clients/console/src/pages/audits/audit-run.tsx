import { useState } from 'react';
import { ErrorNote } from '../../design/error-note.tsx';
import { Loading } from '../../design/loaded.tsx';
import { Section } from '../../design/section.tsx';
import { When } from '../../design/when.tsx';
import { useFeed } from '../../graph/use-feed.ts';
import { AuditReport } from './audit-report.tsx';
import { AuditDocument, type AuditSubscription } from './audits.graphql.ts';

type Step = AuditSubscription['auditProgress'];

/** One audit: its steps as they are taken, then its report. */
export function AuditRun({ url }: { readonly url: string }) {
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const report = steps.at(-1)?.report;
  // A finished audit sends no more events.
  const error = useFeed(AuditDocument, report == null ? { url } : undefined, ({ auditProgress }) =>
    // After a reconnect the gateway sends the audit's steps from the first one; known steps are kept.
    setSteps((now) => (now.some((step) => isSame(step, auditProgress)) ? now : [...now, auditProgress])),
  );
  return (
    <>
      <Section title="Progress">
        <div role="log" aria-label="Steps of the audit">
          <ol className="audit-steps">
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
      </Section>
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
        : `Read ${what}: ${status}, ${(bytes ?? 0).toLocaleString('en')} bytes`;
    }
    case 'ANALYSING':
      return 'All documents are read; the site is judged';
    case 'FINISHED':
      return 'Finished';
  }
}
