import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  parse,
  type TreeAdapter,
} from 'parse5';

/** A document, as far as it was read. */
export interface BoundedDocument {
  readonly root: DefaultTreeAdapterTypes.Document;
  /** What was done to make the tree: elements made, put somewhere and moved, and children passed on the way to one. */
  readonly steps: number;
  /** Whether there was more to do than is done for a page. */
  readonly cut: boolean;
}

/** Most elements of a tree, and most steps to make it. Long pages have a tenth of either. */
const elementsMax = 100_000;
const stepsMax = 1_000_000;

/** Ends the parser in the middle; what is there by then is kept. */
class EnoughDone extends Error {
  override readonly name = 'EnoughDone';
}

/**
 * Parses HTML as browsers do. What a page may cost is counted rather than timed: formatting that is left open is opened
 * again in each paragraph that follows, so that a tree may be far larger than its text, and moving nodes about costs more
 * than making them.
 */
export function parseBounded(html: string): BoundedDocument {
  let steps = 0;
  let elements = 0;
  let root: DefaultTreeAdapterTypes.Document | undefined;
  const spend = (cost: number): void => {
    steps += cost;
    if (steps > stepsMax) throw new EnoughDone();
  };
  const base = defaultTreeAdapter;
  /** Where a child is: looked for from the end, where the parser puts things. */
  const placeOf = ({ childNodes }: DefaultTreeAdapterTypes.ParentNode, child: DefaultTreeAdapterTypes.ChildNode) => {
    const at = childNodes.lastIndexOf(child);
    spend(childNodes.length - at);
    return at;
  };
  const treeAdapter: TreeAdapter<DefaultTreeAdapterMap> = {
    ...base,
    createDocument: () => {
      root = base.createDocument();
      return root;
    },
    createElement: (tagName, namespace, attributes) => {
      elements += 1;
      if (elements > elementsMax) throw new EnoughDone();
      spend(1);
      return base.createElement(tagName, namespace, attributes);
    },
    appendChild: (parent, child) => {
      spend(1);
      base.appendChild(parent, child);
    },
    insertBefore: (parent, child, reference) => {
      parent.childNodes.splice(placeOf(parent, reference), 0, child);
      child.parentNode = parent;
    },
    insertTextBefore: (parent, text, reference) => {
      const before = parent.childNodes[placeOf(parent, reference) - 1];
      if (before !== undefined && base.isTextNode(before)) before.value += text;
      else treeAdapter.insertBefore(parent, base.createTextNode(text), reference);
    },
    detachNode: (node) => {
      if (node.parentNode === null) return;
      node.parentNode.childNodes.splice(placeOf(node.parentNode, node), 1);
      node.parentNode = null;
    },
  };
  try {
    parse(html, { treeAdapter });
    return { root: root!, steps, cut: false };
  } catch (error) {
    if (!(error instanceof EnoughDone)) throw error;
    return { root: root!, steps, cut: true };
  }
}
