import { adviceOn } from './advice.ts';
import type { AuditReport } from './analyse.ts';
import { cleanMarkdown } from './generate/clean-text.ts';
import { tokenTableDate } from './robots/user-agents.ts';
import type { Check, Part } from './rubric/check.ts';
import { rubricVersion, weights } from './rubric/score.ts';

const partTitles: Readonly<Record<Part, string>> = {
  access: 'Access',
  meta: 'Meta data',
  answerability: 'Answerability',
  schema: 'Structured data',
  llms_txt: 'llms.txt',
};

const parts = Object.keys(weights) as Part[];

/** Longest text of a site in the report, in characters. */
const cellMax = 300;

/** A report for people: scores, what to do first, and every check with its points and evidence. */
export function reportMarkdown(report: AuditReport): string {
  const lines = [
    `# Audit of ${cell(report.domain)}`,
    '',
    `Target ${code(report.targetUrl)}, found at ${code(report.finalUrl)} with status ${report.httpStatus}. Rubric ${rubricVersion}, crawlers as of ${tokenTableDate}.`,
    '',
    '## Scores',
    '',
    '| part | score | weight |',
    '|---|---|---|',
    ...parts.map((part) => `| ${partTitles[part]} | ${report.scores[part]} of 100 | ${weights[part]} % |`),
    `| **over all** | **${report.scores.geo} of 100** | |`,
    '',
    `Structured data: ${yes(report.hasJsonLd)}. llms.txt: ${yes(report.hasLlmsTxt)}. Open to AI crawlers: ${yes(report.allowsAiBots)}.`,
    ...fixes(report.checks),
  ];
  for (const part of parts) {
    const own = report.checks.filter((check) => check.part === part);
    lines.push(
      '',
      `## ${partTitles[part]}`,
      '',
      '| check | points | what is looked for | what was seen |',
      '|---|---|---|---|',
    );
    lines.push(
      ...own.map(
        ({ id, points, max, title, evidence }) =>
          `| ${id} | ${points} of ${max} | ${cell(title)} | ${cell(evidence)} |`,
      ),
    );
  }
  const refused = report.bots.filter(({ allowed }) => !allowed);
  lines.push(
    '',
    '## Crawlers',
    '',
    `${report.bots.length - refused.length} of ${report.bots.length} may read the page.`,
  );
  if (refused.length > 0) {
    lines.push('', '| refused | class | by |', '|---|---|---|');
    lines.push(
      ...refused.map(
        ({ token, agentClass, rule }) =>
          `| ${token} | ${agentClass} | ${rule === null ? 'robots.txt could not be had' : `line ${rule.line}: ${cell(rule.text)}`} |`,
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** What is worth most comes first: points that were lost, by what their part weighs. */
function fixes(checks: readonly Check[]): string[] {
  const worth = ({ part, points, max }: Check) => (max - points) * weights[part];
  const lost = checks.filter(({ points, max }) => points < max).toSorted((one, other) => worth(other) - worth(one));
  if (lost.length === 0) return ['', '## What to do first', '', 'Nothing: every check has all its points.'];
  return [
    '',
    '## What to do first',
    '',
    ...lost.map(
      (check, index) =>
        `${index + 1}. **${check.id}**, up to ${gained(worth(check))} of the score over all: ${adviceOn(check.id)}`,
    ),
  ];
}

/** Hundredths as a decimal number. */
const gained = (hundredths: number): string =>
  `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;

const yes = (is: boolean): string => (is ? 'yes' : 'no');

/** Text of a site in a table: nothing in it ends its cell, or is taken for markup. */
const cell = (text: string): string => cleanMarkdown(text, cellMax).replaceAll('|', '\\|');

/** An address as code: what would end it is escaped as addresses escape. */
const code = (url: string): string => `\`${url.replaceAll('`', '%60').replaceAll('|', '%7C')}\``;
