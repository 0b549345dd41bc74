import { decisiveTokens, tokenTableDate } from '../robots/user-agents.ts';
import type { Part } from './check.ts';
import { rubricVersion, weights } from './score.ts';

/** One check as the rubric explains it: its name, its points, and what gives them. */
type Criterion = readonly [id: string, max: number, criterion: string];

/** Every check, by its part. Contract 00, section 3.8. */
export const criteria: Readonly<Record<Part, readonly Criterion[]>> = {
  access: [
    ['a1', 10, 'final status 200 over HTTPS'],
    ['a2', 5, 'robots.txt answers 200 and is one; 404 or 410: 3'],
    ['a3', 45, 'allowed for OAI-SearchBot, Claude-SearchBot, PerplexityBot, Googlebot, Bingbot: 9 each'],
    ['a4', 12, 'allowed for ChatGPT-User, Claude-User, Perplexity-User: 4 each'],
    ['a5', 12, 'allowed for GPTBot, ClaudeBot, Google-Extended, Applebot-Extended: 3 each'],
    ['a6', 8, 'neither noindex nor none in meta robots or X-Robots-Tag'],
    ['a7', 4, 'neither nosnippet nor max-snippet:0'],
    ['a8', 4, 'a sitemap is named in robots.txt, or /sitemap.xml answers 200 with XML'],
  ],
  meta: [
    ['m1', 15, 'a title: 10; of 10 to 70 characters: 5 more'],
    ['m2', 15, 'a description: 10; of 50 to 170 characters: 5 more'],
    ['m3', 15, 'a canonical link: 8; absolute, https and of the same registrable host: 7 more'],
    ['m4', 10, 'lang on html, well-formed'],
    ['m5', 20, 'og:title 5, og:description 5, absolute og:image 5, og:url 3, og:type 2'],
    ['m6', 5, 'twitter:card'],
    ['m7', 10, 'UTF-8 is declared: 5; a viewport: 5'],
    ['m8', 10, 'a date of publication or of the last change'],
  ],
  answerability: [
    ['q1', 15, 'exactly one h1; several: 8'],
    ['q2', 10, 'heading levels never step down by more than one'],
    ['q3', 15, 'words of visible text in the HTML: 300 or more 15, 100 to 299 8'],
    ['q4', 5, 'visible text is a tenth of the bytes of the HTML'],
    ['q5', 15, 'headings that ask, or question nodes: one or two 10, three or more 15'],
    ['q6', 10, 'the first paragraph after the h1 has 40 to 400 characters'],
    ['q7', 10, 'a list 5, a table 5'],
    ['q8', 5, 'three or more internal links with text'],
    ['q9', 5, 'nine of ten images have alt, or there are none'],
    ['q10', 5, 'a main or article element'],
    ['q11', 5, 'a link to another registrable host'],
  ],
  schema: [
    ['s1', 20, 'a JSON-LD element'],
    ['s2', 15, 'share of elements that parse'],
    ['s3', 10, 'share of documents whose context is schema.org'],
    ['s4', 15, 'share of nodes whose types are all in the vocabulary'],
    ['s5', 15, 'a node of who stands behind it: name 5, url 5, logo or sameAs 5'],
    ['s6', 10, 'a WebSite or WebPage with what it requires'],
    ['s7', 10, 'a node of another content type with what it requires; incomplete: 4'],
    ['s8', 5, 'share of properties that belong to the type they stand on'],
  ],
  llms_txt: [
    ['l1', 30, '/llms.txt answers 200; else the whole part is 0'],
    ['l2', 10, 'valid UTF-8, text/plain or text/markdown, no HTML'],
    ['l3', 20, 'the first line is a heading of the first level, and the only one'],
    ['l4', 10, 'a blockquote follows it'],
    ['l5', 10, 'a section contains a list'],
    ['l6', 10, 'share of list items that are links'],
    ['l7', 5, 'share of links that are absolute https or begin with a slash'],
    ['l8', 5, 'at most 100 KB, and no heading below the second level'],
  ],
};

const parts = Object.keys(weights) as Part[];

/** The rubric for people. */
export function rubricText(): string {
  const formula = parts.map((part) => `${weights[part]}·${part}`).join(' + ');
  const lines = [
    `# Rubric ${rubricVersion}`,
    '',
    'Five parts of 100 points each. The same bytes of a site give the same points: no clock, no chance and no model is in it.',
    'Points are whole numbers, and shares are rounded down.',
    '',
    '```',
    `geo_score = floor((${formula} + 50) / 100)`,
    '```',
  ];
  for (const part of parts) {
    lines.push('', `## ${part} (weight ${weights[part]} %)`, '', '| check | points | given for |', '|---|---|---|');
    lines.push(...criteria[part].map(([id, max, criterion]) => `| ${id} | ${max} | ${criterion} |`));
  }
  lines.push(
    '',
    '## Open to AI crawlers',
    '',
    `\`allows_ai_bots\` is true when the page is allowed for all of: ${decisiveTokens.join(', ')}. Table of crawlers as of ${tokenTableDate}.`,
  );
  return `${lines.join('\n')}\n`;
}
