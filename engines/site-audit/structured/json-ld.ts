import { isClass, localName } from './vocabulary.ts';

export type Properties = Readonly<Record<string, unknown>>;

/** A typed node of schema.org. */
export interface SchemaNode {
  /** Index of the element it is in. */
  readonly block: number;
  /** Its types without their namespace. */
  readonly types: readonly string[];
  /** Its members by local name; those of other namespaces and keywords other than `@id` are left out. */
  readonly properties: Properties;
}

export interface JsonLdBlock {
  readonly parses: boolean;
  /** Where it is wrong, in characters; null when that is not known. */
  readonly position: number | null;
  /** Whether it says that its words are schema.org's. */
  readonly hasContext: boolean;
}

export interface StructuredData {
  readonly blocks: readonly JsonLdBlock[];
  readonly nodes: readonly SchemaNode[];
  /** Whether there is more than was looked at. */
  readonly cut: boolean;
}

const nodesMax = 5_000;
const visitsMax = 200_000;
const propertiesMax = 500;
/** Types that a node may have: each of its properties is looked at with all of them. */
const typesMax = 30;

const schemaContext = /^https?:\/\/schema\.org(?:\/|\/docs\/jsonldcontext\.jsonld)?$/;

/** Reads the page's JSON-LD, without recursion; a context is never fetched, and nothing is repaired. */
export function readStructured(texts: readonly string[]): StructuredData {
  const blocks: JsonLdBlock[] = [];
  const nodes: SchemaNode[] = [];
  let visits = 0;
  let tooMany = false;
  for (const [block, text] of texts.entries()) {
    const { value, position } = parsed(text);
    if (value === undefined) {
      blocks.push({ parses: false, position, hasContext: false });
      continue;
    }
    const tops: unknown[] = Array.isArray(value) ? value : [value];
    blocks.push({ parses: true, position: null, hasContext: tops.some((top) => isRecord(top) && inContext(top)) });
    const open = tops.toReversed().map((top) => ({ top, inherited: false }));
    for (let next = open.pop(); next !== undefined && visits < visitsMax; next = open.pop()) {
      visits += 1;
      const { top, inherited } = next;
      if (Array.isArray(top)) {
        for (let at = top.length - 1; at >= 0; at -= 1) open.push({ top: top[at], inherited });
        continue;
      }
      if (!isRecord(top)) continue;
      const inside = inherited || inContext(top);
      const types = typesOf(top, inside);
      tooMany ||= Array.isArray(top['@type']) && top['@type'].length > typesMax;
      if (types.length > 0 && nodes.length < nodesMax) nodes.push({ block, types, properties: localProperties(top) });
      const members = Object.entries(top).filter(([name]) => name !== '@context');
      for (const [, member] of members.toReversed())
        if (typeof member === 'object' && member !== null) open.push({ top: member, inherited: inside });
    }
  }
  return { blocks, nodes, cut: tooMany || visits >= visitsMax || nodes.length >= nodesMax };
}

export const isRecord = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether all types of a node are words of schema.org. */
export const isKnown = ({ types }: SchemaNode): boolean => types.every(isClass);

function parsed(text: string): { readonly value?: unknown; readonly position: number | null } {
  try {
    return { value: JSON.parse(text) ?? undefined, position: null };
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    return { position: position === undefined ? null : Number(position) };
  }
}

function inContext({ '@context': context }: Properties): boolean {
  return [context].flat().some((one) => {
    if (isRecord(one)) return typeof one['@vocab'] === 'string' && schemaContext.test(one['@vocab']);
    return typeof one === 'string' && schemaContext.test(one);
  });
}

function typesOf({ '@type': type }: Properties, inside: boolean): string[] {
  const stated: unknown[] = Array.isArray(type) ? type.slice(0, typesMax) : [type];
  return stated.flatMap((one) => {
    if (typeof one !== 'string' || one === '') return [];
    const local = localName(one);
    return local === undefined || (!inside && local === one) ? [] : [local];
  });
}

function localProperties(node: Properties): Properties {
  const found: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(node).slice(0, propertiesMax)) {
    const local = name === '@id' ? name : localName(name);
    if (local !== undefined && local !== '__proto__') found[local] = value;
  }
  return found;
}
