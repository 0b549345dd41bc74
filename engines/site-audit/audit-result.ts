import type { AuditReport } from './analyse.ts';
import { tokenTableDate } from './robots/user-agents.ts';
import type { Part } from './rubric/check.ts';
import { rubricVersion, weights } from './rubric/score.ts';

/**
 * What an audit says, whole, as paid answers spell it. No time is in it: the same bytes of a site give the same result.
 * Contract 00, section 0.3.
 *
 * @param tier the label of what was bought
 */
export const auditResult = (report: AuditReport, tier: string) => ({
  ok: true as const,
  domain: report.domain,
  target_url: report.targetUrl,
  geo_score: report.scores.geo,
  schema_score: report.scores.schema,
  llms_txt_score: report.scores.llms_txt,
  has_jsonld: report.hasJsonLd,
  has_llms_txt: report.hasLlmsTxt,
  allows_ai_bots: report.allowsAiBots,
  generated_jsonld: report.generatedJsonLd,
  generated_llms_txt: report.generatedLlmsTxt,
  tier,
});

/** The `report` of paid answers: every check with its evidence, every crawler, every node. Contract 00, section 3.11. */
export const fullReport = (report: AuditReport) => ({
  rubric: rubricVersion,
  token_table: tokenTableDate,
  final_url: report.finalUrl,
  http_status: report.httpStatus,
  robots_status: report.robotsStatus ?? null,
  llms_full_status: report.llmsFullStatus ?? null,
  flags: [...report.flags],
  parts: (Object.keys(weights) as Part[]).map((part) => ({
    part,
    weight: weights[part],
    score: report.scores[part],
  })),
  checks: report.checks.map(({ id, part, title, points, max, evidence }) => ({
    id,
    part,
    title,
    points,
    max,
    evidence,
  })),
  bots: report.bots.map(({ token, agentClass, allowed, group, rule }) => ({
    token,
    class: agentClass,
    allowed,
    group,
    rule: rule === null ? null : { text: rule.text, line: rule.line },
  })),
  content_signals: [...report.contentSignals],
  node_types: [...report.nodeTypes],
});
