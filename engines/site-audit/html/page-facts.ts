import { addressOf } from '../address.ts';
import { decodeHtml } from './decode.ts';
import { collapsed, type ReadElement, type ReadTree, rawTextOf, readTree, textOf } from './read-tree.ts';

export interface Heading {
  readonly level: number;
  readonly text: string;
  /** Text of the first paragraph between this heading and the next; empty when there is none. */
  readonly paragraph: string;
}

export interface Anchor {
  /** Resolved; undefined when it is no address. */
  readonly url: URL | undefined;
  readonly text: string;
  readonly title: string;
}

/** What the rubric looks at in a page, gathered in one walk. */
export interface PageFacts {
  readonly bytes: number;
  readonly lang: string | null;
  readonly title: string;
  /** Contents of `meta` by name or property in lower case, in document order. */
  readonly metas: ReadonlyMap<string, readonly string[]>;
  readonly canonicals: readonly string[];
  readonly icons: readonly string[];
  readonly declaredUtf8: boolean;
  readonly headings: readonly Heading[];
  readonly visibleText: string;
  readonly words: number;
  readonly lists: number;
  readonly tables: number;
  readonly anchors: readonly Anchor[];
  readonly images: { readonly all: number; readonly withAlt: number };
  readonly hasMain: boolean;
  /** Values of `time[datetime]`. */
  readonly times: readonly string[];
  /** Texts of JSON-LD elements. */
  readonly jsonLd: readonly string[];
  /** Nodes that were looked at, what it took to make them, and whether some were not. */
  readonly visits: number;
  readonly steps: number;
  readonly cut: boolean;
}

const anchorsMax = 5_000;
const iconsMax = 20;

/** A word is a run of letters and digits; a character of Chinese, Japanese or Korean is one by itself. */
const word =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])[\p{L}\p{N}])+/gu;

/** @param url where the page was found: links are relative to it */
export function readPage(bytes: Uint8Array, contentType: string, url: string): PageFacts {
  const { text, declaredUtf8 } = decodeHtml(bytes, contentType);
  const tree = readTree(text);
  const { elements } = tree;
  const base = baseOf(elements, url);
  const visibleText = collapsed(
    tree.texts
      .filter(({ hidden, inBody }) => inBody && !hidden)
      .map((piece) => piece.text)
      .join(' '),
  );
  const of = (...tags: string[]) => elements.filter(({ tag }) => tags.includes(tag));
  const relOf = (rel: string) => (element: ReadElement) =>
    (element.attributes.get('rel') ?? '').toLowerCase().split(/\s+/).includes(rel);
  const hrefs = (rel: string) =>
    of('link')
      .filter(relOf(rel))
      .map(({ attributes }) => (attributes.get('href') ?? '').trim());
  const images = of('img');
  const title = elements.find(({ tag, inBody }) => tag === 'title' && !inBody);
  const meta = metasOf(of('meta'));
  return {
    bytes: bytes.length,
    lang: elements.find(({ tag }) => tag === 'html')?.attributes.get('lang') ?? null,
    title: title === undefined ? '' : collapsed(rawTextOf(tree, title)),
    metas: meta,
    canonicals: hrefs('canonical'),
    icons: [...hrefs('icon'), ...hrefs('apple-touch-icon'), ...hrefs('apple-touch-icon-precomposed')]
      .slice(0, iconsMax)
      .flatMap((href) => addressOf(href, base)?.href ?? []),
    declaredUtf8,
    headings: headingsOf(tree),
    visibleText,
    words: visibleText.match(word)?.length ?? 0,
    lists: of('ul', 'ol', 'dl').filter(({ hidden }) => !hidden).length,
    tables: of('table').filter(({ hidden }) => !hidden).length,
    anchors: of('a')
      .filter(({ attributes, hidden }) => attributes.has('href') && !hidden)
      .slice(0, anchorsMax)
      .map((element) => ({
        url: addressOf(element.attributes.get('href')!, base),
        text: textOf(tree, element, 200),
        title: collapsed(element.attributes.get('title') ?? ''),
      })),
    images: { all: images.length, withAlt: images.filter(({ attributes }) => attributes.has('alt')).length },
    hasMain: of('main', 'article').length > 0,
    times: of('time').flatMap(({ attributes }) => attributes.get('datetime')?.trim() || []),
    jsonLd: of('script')
      .filter(({ attributes }) => isJsonLd(attributes.get('type') ?? ''))
      .map((element) => rawTextOf(tree, element)),
    visits: tree.visits,
    steps: tree.steps,
    cut: tree.cut,
  };
}

const isJsonLd = (type: string): boolean => type.split(';', 1)[0]!.trim().toLowerCase() === 'application/ld+json';

function baseOf(elements: readonly ReadElement[], url: string): string {
  const href = elements.find(({ tag, attributes }) => tag === 'base' && attributes.has('href'))?.attributes.get('href');
  const base = href === undefined ? url : (addressOf(href, url)?.href ?? url);
  // Escaping may have made it longer, and it is read again for each link.
  return addressOf(base)?.href ?? url;
}

function metasOf(metas: readonly ReadElement[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { attributes } of metas) {
    const name = (attributes.get('name') ?? attributes.get('property'))?.trim().toLowerCase();
    const content = attributes.get('content');
    if (name === undefined || content === undefined) continue;
    const known = found.get(name) ?? [];
    if (known.length < 20) found.set(name, [...known, collapsed(content)]);
  }
  return found;
}

function headingsOf(tree: ReadTree): Heading[] {
  const headings: { level: number; text: string; paragraph: string }[] = [];
  for (const element of tree.elements) {
    if (element.hidden) continue;
    if (/^h[1-6]$/.test(element.tag))
      headings.push({ level: Number(element.tag[1]), text: textOf(tree, element, 500), paragraph: '' });
    else if (element.tag === 'p' && !element.inHeading) {
      const heading = headings.at(-1);
      if (heading?.paragraph === '') heading.paragraph = textOf(tree, element);
    }
  }
  return headings;
}
