import type { z } from 'zod';
import type { runAudit } from '../resolvers/site-audits/run-audit.ts';

/** The answer of the free audit. */
export type AuditAnswer = z.output<typeof runAudit.wire>;

const yesNo = (value: boolean) => (value ? 'yes' : 'no');

/** Nothing that a site says ends its cell, or is taken for Markdown or HTML. */
const escaped = (text: string) => text.replaceAll(/[\\`*_{}[\]<>#|~&!]/g, '\\$&').replaceAll(/\s+/g, ' ');

/** A block of text that nothing inside it can end. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/** What an audit found, for people and models that read Markdown. */
export function auditMarkdown(answer: AuditAnswer): string {
  const { preview, telemetry } = answer;
  const findings = preview.checks.map(
    ({ id, title, points, max, evidence }) =>
      `| ${id} | ${points} of ${max} | ${escaped(title)} | ${escaped(evidence)} |`,
  );
  return `# Audit of ${escaped(answer.domain)}

Target: ${escaped(answer.target_url)} (answered ${telemetry.http_status}; rubric ${telemetry.rubric})

| score | of 100 |
|---|---|
| Over all | ${answer.geo_score} |
| Structured data | ${answer.schema_score} |
| llms.txt | ${answer.llms_txt_score} |

- Structured data of schema.org: ${yesNo(answer.has_jsonld)}
- llms.txt: ${yesNo(answer.has_llms_txt)}
- The decisive AI crawlers are allowed: ${yesNo(answer.allows_ai_bots)}

## Findings

The first ${preview.checks_shown} of ${preview.checks_total}.

| check | points | what is looked for | what was seen |
|---|---|---|---|
${findings.join('\n')}

## JSON-LD, the beginning

${fenced(answer.generated_jsonld, 'json')}

## llms.txt, the beginning

${fenced(answer.generated_llms_txt, 'markdown')}
`;
}
