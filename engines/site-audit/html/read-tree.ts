import type { DefaultTreeAdapterTypes } from 'parse5';
import { parseBounded } from './bounded-parse.ts';

/** Deepest element that is looked into: what lies beyond is not read. */
const depthMax = 512;

/** An element, in the order of the document. */
export interface ReadElement {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Whether its text is not for readers: scripts, styles, templates, and what is marked hidden. */
  readonly hidden: boolean;
  readonly inBody: boolean;
  readonly inHeading: boolean;
  /** Where its text lies among {@link ReadTree.texts}. */
  readonly from: number;
  to: number;
}

export interface ReadTree {
  readonly elements: readonly ReadElement[];
  readonly texts: readonly { readonly text: string; readonly hidden: boolean; readonly inBody: boolean }[];
  /** Nodes that were looked at, and what it took to make them. */
  readonly visits: number;
  readonly steps: number;
  /** Whether the document is deeper or larger than what is looked at. */
  readonly cut: boolean;
}

const unseen: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg']);
const headingTag = /^h[1-6]$/;

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

interface Step {
  readonly node: Node;
  readonly depth: number;
  readonly hidden: boolean;
  readonly inBody: boolean;
  readonly inHeading: boolean;
  /** Set on the way back: the element whose text ends here. */
  readonly closes?: ReadElement;
}

/**
 * Parses HTML as browsers do, and lists it in document order: without recursion, and each node at most twice, so that
 * no nesting makes it slow or overflows a stack.
 */
export function readTree(html: string): ReadTree {
  const elements: ReadElement[] = [];
  const texts: { text: string; hidden: boolean; inBody: boolean }[] = [];
  /** Elements that were opened again share the attributes of the tag they came from. */
  const attributesOf = new Map<Element['attrs'], ReadonlyMap<string, string>>();
  let visits = 0;
  const { root, steps: made, cut: unfinished } = parseBounded(html);
  let cut = unfinished;
  const steps: Step[] = [{ node: root, depth: 0, hidden: false, inBody: false, inHeading: false }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { node, depth, hidden, inBody, inHeading, closes } = step;
    visits += 1;
    if (closes !== undefined) {
      closes.to = texts.length;
      continue;
    }
    if (node.nodeName === '#text') {
      texts.push({ text: (node as DefaultTreeAdapterTypes.TextNode).value, hidden, inBody });
      continue;
    }
    let below = { hidden, inBody, inHeading };
    if ('tagName' in node) {
      const attributes =
        attributesOf.get(node.attrs) ?? new Map(node.attrs.map(({ name, value }) => [name, value] as const));
      attributesOf.set(node.attrs, attributes);
      const tag = node.tagName;
      below = {
        hidden:
          hidden ||
          unseen.has(tag) ||
          attributes.has('hidden') ||
          attributes.get('aria-hidden')?.toLowerCase() === 'true',
        inBody: inBody || tag === 'body',
        inHeading: inHeading || headingTag.test(tag),
      };
      const element = { tag, attributes, ...below, from: texts.length, to: texts.length };
      elements.push(element);
      steps.push({ ...step, closes: element });
    }
    if (!('childNodes' in node)) continue;
    if (depth >= depthMax) {
      cut ||= node.childNodes.length > 0;
      continue;
    }
    for (let at = node.childNodes.length - 1; at >= 0; at -= 1)
      steps.push({ node: node.childNodes[at]!, depth: depth + 1, ...below });
  }
  return { elements, texts, visits, steps: made, cut };
}

/** As readers see it: runs of space are one, none at the ends. */
export const collapsed = (text: string): string => text.replace(/[\s\u00a0]+/g, ' ').trim();

/** Text of an element, hidden parts left out; at most so many characters and pieces, since elements lie in elements. */
export function textOf({ texts }: ReadTree, { from, to }: ReadElement, charactersMax = 2_000): string {
  let text = '';
  const last = Math.min(to, from + charactersMax);
  for (let at = from; at < last && text.length < charactersMax; at += 1) {
    const piece = texts[at]!;
    if (!piece.hidden) text += piece.text;
  }
  return collapsed(text.slice(0, charactersMax));
}

/** All of a script's or title's text, which has no elements in it. */
export const rawTextOf = ({ texts }: ReadTree, { from, to }: ReadElement): string =>
  texts
    .slice(from, to)
    .map(({ text }) => text)
    .join('');
