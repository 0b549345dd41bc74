import { Check, X } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { Section } from '../../design/section.tsx';
import { When } from '../../design/when.tsx';
import type { ReportFragment } from './audits.graphql.ts';
import { Score } from './score.tsx';

/** The result of an audit: its scores, and each check with its findings. */
export function AuditReport({ report }: { readonly report: ReportFragment }) {
  const { domain, telemetry, findings, findingsTotal } = report;
  return (
    <Section
      title={domain}
      about={
        <>
          Read <When at={telemetry.auditedAt} />
          {telemetry.cached && ', from the cache'}
        </>
      }
    >
      <div className="scores">
        <Score label="Overall" score={report.geoScore} />
        <Score label="Structured data" score={report.schemaScore} />
        <Score label="llms.txt" score={report.llmsTxtScore} />
      </div>
      <div className="audit-badges">
        <YesNo yes={report.allowsAiBots} yesSaid="Lets AI crawlers in" noSaid="Keeps AI crawlers out" />
        <YesNo yes={report.hasJsonLd} yesSaid="Has structured data" noSaid="Has no structured data" />
        <YesNo yes={report.hasLlmsTxt} yesSaid="Has an llms.txt" noSaid="Has no llms.txt" />
      </div>
      <ul className="findings" aria-label="Findings">
        {findings.map(({ check, title, points, max, evidence }) => (
          <li key={check}>
            <div>
              <strong>{title}</strong>
              <p className="quiet small">{evidence}</p>
            </div>
            <Badge mood={points === max ? 'good' : points > 0 ? 'warn' : 'bad'}>
              {points} of {max}
            </Badge>
          </li>
        ))}
      </ul>
      {findingsTotal > findings.length && (
        <p className="quiet small">
          {findings.length} of {findingsTotal} findings; the whole report is sold over HTTP 402.
        </p>
      )}
      <details>
        <summary>What the site could have: structured data, llms.txt</summary>
        <div className="audit-files">
          <CodeBlock title="Structured data" code={report.generatedJsonLd} />
          <CodeBlock title="llms.txt" code={report.generatedLlmsTxt} />
        </div>
      </details>
    </Section>
  );
}

interface YesNoProps {
  readonly yes: boolean;
  readonly yesSaid: string;
  readonly noSaid: string;
}

const YesNo = ({ yes, yesSaid, noSaid }: YesNoProps) => (
  <Badge mood={yes ? 'good' : 'warn'} icon={yes ? Check : X}>
    {yes ? yesSaid : noSaid}
  </Badge>
);
