import type { AuditReport } from '../site-audit/analyse.ts';

/**
 * Lines for robots.txt that let in every crawler that is kept out of the audited page now. A crawler that is named gets
 * a group of its own: groups of one name count together, and of two patterns as long, the one that allows wins. So what
 * refuses is allowed by the same pattern.
 */
export function robotsAdditions({ bots, finalUrl }: Pick<AuditReport, 'bots' | 'finalUrl'>): string {
  const refused = bots.filter(({ allowed }) => !allowed);
  if (refused.length === 0) return '# Every crawler of the table may read the page already: nothing has to be added.\n';
  if (refused.every(({ rule }) => rule === null))
    return '# robots.txt could not be had, so crawlers take everything as disallowed. Have it answer 200 or 404 first.\n';
  const { pathname, search } = new URL(finalUrl);
  const byPatterns = new Map<string, string[]>();
  for (const { token, rule } of refused) {
    // A pattern that was too long for the report ends in a sign that no pattern has.
    const pattern = rule === null || rule.text.endsWith('…') ? pathname + search : rule.text;
    const allows = [...new Set(['/', pattern])].map((one) => `Allow: ${one}`).join('\n');
    byPatterns.set(allows, [...(byPatterns.get(allows) ?? []), token]);
  }
  const groups = [...byPatterns].map(
    ([allows, tokens]) => `${tokens.map((token) => `User-agent: ${token}`).join('\n')}\n${allows}\n`,
  );
  return `# To be added to robots.txt. Take out the names that are to be kept away.\n${groups.join('\n')}`;
}
