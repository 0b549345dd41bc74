import { Card } from '../parts/card.tsx';
import { Gauge } from '../parts/gauge.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import type { ReportFragment } from './audits.graphql.ts';

/** The result of an audit: its scores, and each check with its findings. */
export function AuditReport({ report }: { readonly report: ReportFragment }) {
  const { domain, telemetry, findings, findingsTotal } = report;
  return (
    <Card
      title={domain}
      side={
        <span className="small quiet">
          read <When at={telemetry.auditedAt} />
          {telemetry.cached && ', from the cache'}
        </span>
      }
    >
      <div className="gauges">
        <Gauge label="Overall" score={report.geoScore} />
        <Gauge label="Structured data" score={report.schemaScore} />
        <Gauge label="llms.txt" score={report.llmsTxtScore} />
      </div>
      <div className="line">
        <YesNo yes={report.allowsAiBots} said="lets AI crawlers in" />
        <YesNo yes={report.hasJsonLd} said="has structured data" />
        <YesNo yes={report.hasLlmsTxt} said="has an llms.txt" />
      </div>
      <ul className="list" aria-label="Findings">
        {findings.map((finding) => (
          <li key={finding.check} className="stack">
            <div className="line">
              <strong className="grows">{finding.title}</strong>
              <Tag
                value={`${finding.points} of ${finding.max}`}
                mood={finding.points === finding.max ? 'good' : finding.points > 0 ? 'warn' : 'bad'}
              />
            </div>
            <p className="quiet small">{finding.evidence}</p>
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
        <div className="stack">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
          <pre tabIndex={0}>{report.generatedJsonLd}</pre>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above. */}
          <pre tabIndex={0}>{report.generatedLlmsTxt}</pre>
        </div>
      </details>
    </Card>
  );
}

function YesNo({ yes, said }: { readonly yes: boolean; readonly said: string }) {
  return <Tag value={`${yes ? '✓' : '✗'} ${said}`} mood={yes ? 'good' : 'warn'} />;
}
