import type { Audited } from '../../engines/site-audit/audit-run.ts';
import { tokenTableDate } from '../../engines/site-audit/robots/user-agents.ts';
import type { Check } from '../../engines/site-audit/rubric/check.ts';
import { rubricVersion } from '../../engines/site-audit/rubric/score.ts';
import type { FetchTimings } from '../../engines/site-audit/site-snapshot.ts';

/** What nobody has to pay for: all scores, and the beginning of everything else. Contract 00, section 3.11. */
export interface FreeAudit {
  readonly domain: string;
  readonly targetUrl: string;
  readonly geoScore: number;
  readonly schemaScore: number;
  readonly llmsTxtScore: number;
  readonly hasJsonLd: boolean;
  readonly hasLlmsTxt: boolean;
  readonly allowsAiBots: boolean;
  readonly generatedJsonLd: string;
  readonly generatedLlmsTxt: string;
  readonly checks: readonly Check[];
  readonly checksTotal: number;
  readonly telemetry: AuditTelemetry;
}

export interface AuditTelemetry {
  readonly finalUrl: string;
  readonly httpStatus: number;
  readonly redirects: number;
  readonly fetchedBytes: number;
  readonly truncated: boolean;
  readonly flags: readonly string[];
  readonly timings: FetchTimings;
  readonly robotsStatus: number | null;
  readonly rubric: string;
  readonly tokenTable: string;
  readonly cached: boolean;
  readonly auditedAt: Date;
}

const checksShown = 6;
const linesShown = 3;

export function freeAudit({ report, facts, auditedAt }: Audited, cached: boolean): FreeAudit {
  return {
    domain: report.domain,
    targetUrl: report.targetUrl,
    geoScore: report.scores.geo,
    schemaScore: report.scores.schema,
    llmsTxtScore: report.scores.llms_txt,
    hasJsonLd: report.hasJsonLd,
    hasLlmsTxt: report.hasLlmsTxt,
    allowsAiBots: report.allowsAiBots,
    generatedJsonLd: beginning(report.generatedJsonLd),
    generatedLlmsTxt: beginning(report.generatedLlmsTxt),
    checks: report.checks.slice(0, checksShown),
    checksTotal: report.checks.length,
    telemetry: {
      finalUrl: report.finalUrl,
      httpStatus: report.httpStatus,
      redirects: facts.redirects,
      fetchedBytes: facts.fetchedBytes,
      truncated: report.flags.includes('truncated'),
      flags: report.flags,
      timings: facts.timings,
      robotsStatus: report.robotsStatus ?? null,
      rubric: rubricVersion,
      tokenTable: tokenTableDate,
      cached,
      auditedAt,
    },
  };
}

function beginning(text: string): string {
  const lines = text.trimEnd().split('\n');
  const left = lines.length - linesShown;
  return left <= 0 ? text : `${lines.slice(0, linesShown).join('\n')}\n[redacted, ${left} more lines]`;
}
