import type { LlmsFacts } from '../llms/read-llms.ts';
import { type Check, checksOf, share } from './check.ts';

const check = checksOf('llms_txt');

/** Part L; nothing when the file is not there. Contract 00, section 3.8. */
export function llmsChecks(status: number | undefined, contentType: string, facts: LlmsFacts): Check[] {
  const found = status === 200;
  const give = (id: string, title: string, max: number, points: number, evidence: string): Check =>
    check(id, title, max, found ? points : 0, found ? evidence : 'no llms.txt');
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const plain = type === 'text/plain' || type === 'text/markdown';
  const isText = facts.validUtf8 && plain && !facts.looksLikeHtml;
  const small = facts.bytes <= 100 * 1024;
  return [
    check('l1', 'llms.txt is there', 30, found ? 30 : 0, status === undefined ? 'no answer' : `answered ${status}`),
    give(
      'l2',
      'It is plain text',
      10,
      isText ? 10 : 0,
      `${type === '' ? 'no content type' : type.slice(0, 60)}, ${facts.validUtf8 ? 'UTF-8' : 'not UTF-8'}${facts.looksLikeHtml ? ', HTML' : ''}`,
    ),
    give(
      'l3',
      'It begins with the one title',
      20,
      facts.startsWithTitle && facts.titles === 1 ? 20 : 0,
      `${facts.titles} titles, ${facts.startsWithTitle ? 'first' : 'not first'}`,
    ),
    give('l4', 'A summary follows the title', 10, facts.hasSummary ? 10 : 0, facts.hasSummary ? 'a quotation' : 'none'),
    give('l5', 'A section lists links', 10, facts.sectionsWithList > 0 ? 10 : 0, `${facts.sectionsWithList} sections`),
    give(
      'l6',
      'List items are links',
      10,
      share(10, facts.linkItems, facts.items),
      `${facts.linkItems} of ${facts.items} items`,
    ),
    give(
      'l7',
      'Links can be followed',
      5,
      share(5, facts.fitLinks, facts.links),
      `${facts.fitLinks} of ${facts.links} links`,
    ),
    give(
      'l8',
      'Short and flat',
      5,
      small && facts.deepHeadings === 0 ? 5 : 0,
      `${facts.bytes} bytes, ${facts.deepHeadings} headings below the second level`,
    ),
  ];
}
