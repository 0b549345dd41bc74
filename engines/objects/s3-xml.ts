// What S3 answers is flat enough to be read by the names of its elements: no attribute or namespace of it matters here.

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const decoded = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|quot|apos|amp));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name.toLowerCase()]!;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

/** What stands between the tags of every element of a name, as it is written. */
export const elementsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(([, inner]) => inner!);

/** The text of the first element of a name; undefined where there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const [first] = elementsOf(xml, name);
  return first === undefined ? undefined : decoded(first.trim());
}

/** A text as it may stand in an element. */
export const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (one) => (one === '&' ? '&amp;' : one === '<' ? '&lt;' : '&gt;'));
