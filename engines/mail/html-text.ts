import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** Elements that hold nothing to read. */
const silent = new Set(['head', 'script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object']);
/** Elements that stand on lines of their own. */
const blocks = new Set(
  `address article aside blockquote dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section
  table tr ul`.split(/\s+/),
);

/** The text of a mail's HTML, for readers that show no HTML: blocks on lines of their own, links with their address. */
export function textOfHtml(html: string): string {
  const parts: string[] = [];
  // Not by recursion: a hostile mail may nest as deep as it is long.
  const open: (Node | (() => void))[] = [parse(html)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'function') next();
    else if (tree.isTextNode(next)) parts.push(next.value.replaceAll(/\s+/g, ' '));
    else if (next.nodeName === 'br') parts.push('\n');
    else if (!silent.has(next.nodeName) && 'childNodes' in next) {
      const link = tree.isElementNode(next) ? hrefOf(next) : undefined;
      const isBlock = blocks.has(next.nodeName);
      if (isBlock) parts.push('\n');
      const from = parts.length;
      open.push(() => {
        if (link !== undefined && parts.slice(from).join('').trim() !== link) parts.push(` (${link})`);
        if (isBlock) parts.push('\n');
      });
      for (const child of next.childNodes.toReversed()) open.push(child);
    }
  }
  return parts
    .join('')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function hrefOf({ nodeName, attrs }: DefaultTreeAdapterTypes.Element): string | undefined {
  const href = nodeName === 'a' ? attrs.find(({ name }) => name === 'href')?.value.trim() : undefined;
  return href !== undefined && /^(https?|mailto):/i.test(href) ? href : undefined;
}
