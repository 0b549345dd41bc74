import type { Heading, PageFacts } from '../html/page-facts.ts';
import { registrableHost } from '../public-suffix.ts';
import type { SchemaNode } from '../structured/json-ld.ts';
import { typesAmong } from '../structured/required.ts';
import { type Check, checksOf } from './check.ts';

const check = checksOf('answerability');

const asking = /^(?:who|what|when|where|why|how|which|can|does|do|is|are|should)\b/i;

/** Headings that ask something: by their mark, or by their first word where the page is in English. */
export function questionHeadings(page: PageFacts): Heading[] {
  const isEnglish = page.lang === null || page.lang.trim() === '' || /^en(?:-|$)/i.test(page.lang.trim());
  return page.headings.filter(
    ({ level, text }) => level >= 2 && level <= 4 && (/[?？؟]$/u.test(text) || (isEnglish && asking.test(text))),
  );
}

/** Part Q. Contract 00, section 3.8. */
export function answerabilityChecks(page: PageFacts, finalUrl: string, nodes: readonly SchemaNode[]): Check[] {
  const { headings, words, images } = page;
  const host = new URL(finalUrl).hostname;
  const tops = headings.filter(({ level }) => level === 1);
  const jump = headings.findIndex(({ level }, at) => at > 0 && level > headings[at - 1]!.level + 1);
  const ratio = page.bytes === 0 ? 0 : Buffer.byteLength(page.visibleText) / page.bytes;
  const questions =
    questionHeadings(page).length + nodes.filter((node) => typesAmong(node, ['Question']).length > 0).length;
  const fromTop = headings.slice(
    Math.max(
      0,
      headings.findIndex(({ level }) => level === 1),
    ),
  );
  const first = tops.length === 0 ? '' : (fromTop.find(({ paragraph }) => paragraph !== '')?.paragraph ?? '');
  const firstLength = Array.from(first).length;
  const links = page.anchors.flatMap(({ url, text }) =>
    url !== undefined && /^https?:$/.test(url.protocol) ? [{ url, text }] : [],
  );
  const inside = links.filter(({ url, text }) => url.hostname === host && text !== '').length;
  const own = registrableHost(host);
  const outside = links.filter(({ url }) => registrableHost(url.hostname) !== own).length;
  const altFits = images.all === 0 || images.withAlt * 10 >= images.all * 9;
  return [
    check('q1', 'One main heading', 15, [0, 15][tops.length] ?? 8, `${tops.length} h1`),
    check(
      'q2',
      'Heading levels step down one by one',
      10,
      jump < 0 ? 10 : 0,
      jump < 0
        ? `${headings.length} headings, no jump`
        : `h${headings[jump - 1]!.level} is followed by h${headings[jump]!.level}`,
    ),
    check('q3', 'Enough text without scripts', 15, words >= 300 ? 15 : words >= 100 ? 8 : 0, `${words} words`),
    check(
      'q4',
      'Text against markup',
      5,
      ratio >= 0.1 ? 5 : 0,
      `${Math.floor(ratio * 100)} % of the HTML is visible text`,
    ),
    check('q5', 'Questions', 15, questions >= 3 ? 15 : questions >= 1 ? 10 : 0, `${questions} questions`),
    check(
      'q6',
      'An answer right after the main heading',
      10,
      firstLength >= 40 && firstLength <= 400 ? 10 : 0,
      `first paragraph after the h1 has ${firstLength} characters`,
    ),
    check(
      'q7',
      'A list and a table',
      10,
      (page.lists > 0 ? 5 : 0) + (page.tables > 0 ? 5 : 0),
      `${page.lists} lists, ${page.tables} tables`,
    ),
    check('q8', 'Links within the site', 5, inside >= 3 ? 5 : 0, `${inside} internal links with text`),
    check('q9', 'Images are described', 5, altFits ? 5 : 0, `${images.withAlt} of ${images.all} images have alt`),
    check(
      'q10',
      'Main content is marked',
      5,
      page.hasMain ? 5 : 0,
      page.hasMain ? 'main or article' : 'neither main nor article',
    ),
    check('q11', 'A link to another site', 5, outside > 0 ? 5 : 0, `${outside} links to other sites`),
  ];
}
