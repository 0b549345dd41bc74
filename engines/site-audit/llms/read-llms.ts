import { addressOf } from '../address.ts';

/** What a text in the form of llms.txt has. Contract 00, section 3.7. */
export interface LlmsFacts {
  readonly validUtf8: boolean;
  readonly looksLikeHtml: boolean;
  readonly startsWithTitle: boolean;
  readonly titles: number;
  /** Whether a quotation follows the title. */
  readonly hasSummary: boolean;
  readonly sectionsWithList: number;
  readonly items: number;
  readonly linkItems: number;
  readonly links: number;
  readonly fitLinks: number;
  readonly deepHeadings: number;
  readonly bytes: number;
}

// Linear for any line: nothing in it can be matched in two ways.
const linkItem = /^- \[((?:[^[\]\\]|\\.)+)\]\(((?:[^\s()\\]|\\.)+)\)(?:: ?\S.*)?$/;

export function readLlms(bytes: Uint8Array): LlmsFacts {
  const text = new TextDecoder('utf-8').decode(bytes);
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  const filled = lines.filter((line) => line !== '');
  const facts = { titles: 0, sectionsWithList: 0, items: 0, linkItems: 0, links: 0, fitLinks: 0, deepHeadings: 0 };
  let fenced = false;
  let inSection = false;
  let sectionHasList = false;
  const isTitle = (line = '') => /^# +\S/.test(line);
  for (const line of filled) {
    if (/^ {0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const level = /^(#{1,6})(?: |$)/.exec(line)?.[1]?.length;
    if (level === 1) facts.titles += 1;
    if (level !== undefined && level <= 2) {
      inSection = level === 2;
      sectionHasList = false;
    }
    if (level !== undefined && level > 2) facts.deepHeadings += 1;
    if (!inSection || !/^\s{0,3}[-*+] /.test(line)) continue;
    if (!sectionHasList) facts.sectionsWithList += 1;
    sectionHasList = true;
    facts.items += 1;
    const href = linkItem.exec(line.trimStart())?.[2];
    if (href === undefined) continue;
    facts.linkItems += 1;
    facts.links += 1;
    if (/^\/(?!\/)/.test(href) || (/^https:\/\//i.test(href) && addressOf(href) !== undefined)) facts.fitLinks += 1;
  }
  return {
    validUtf8: isUtf8(bytes),
    looksLikeHtml: /^\s*<(?:!doctype|html)/i.test(text),
    startsWithTitle: isTitle(filled[0]),
    hasSummary: isTitle(filled[0]) && (filled[1] ?? '').startsWith('>'),
    bytes: bytes.length,
    ...facts,
  };
}

/** Whether a site has a file of this form: one that answers everything with a page has not. */
export const isLlms = (status: number | undefined, facts: LlmsFacts): boolean =>
  status === 200 && facts.validUtf8 && !facts.looksLikeHtml && facts.startsWithTitle;

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
