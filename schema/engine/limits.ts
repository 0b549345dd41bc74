import { type DocumentNode, GraphQLError, Kind, Lexer, type SelectionNode, Source, TokenKind } from 'graphql';
import { ServiceError } from '../../core/errors.ts';
import { foldSelections, type Selecting } from './fold-selections.ts';

/** How much a document may ask for. Counts are after fragments are expanded, and hold for each definition on its own. */
export interface DocumentLimits {
  /** Size of the source in UTF-8 bytes. */
  readonly sourceBytes: number;
  readonly tokens: number;
  readonly comments: number;
  /** Brackets of any kind inside each other, and selection sets inside each other through fragments. */
  readonly nesting: number;
  /** Levels of fields, counted from the root; what is below `__schema` and `__type` is not counted. */
  readonly depth: number;
  /** Levels of fields from `__schema` or `__type` on, that field included. */
  readonly introspectionDepth: number;
  /** Lists of the introspection schema inside each other; each one multiplies the answer by its length. */
  readonly introspectionLists: number;
  /** `__schema` and `__type`, wherever they are asked for. */
  readonly introspections: number;
  readonly rootFields: number;
  readonly fields: number;
  readonly aliases: number;
  readonly directives: number;
  /** Fields of the answer, with connections as long as they are asked to be; see `cost.ts`. */
  readonly cost: number;
}

export const documentLimits: DocumentLimits = {
  sourceBytes: 256 * 1024, // sixty-four for each token allowed: room for long names and string literals
  tokens: 4_000, // twenty times the introspection query; some 1.5 MB once parsed
  comments: 1_000, // the parser keeps each one in memory and does not count it as a token
  nesting: 100, // the parser recurses, and a few thousand levels overflow its stack
  depth: 15, // four connections inside each other (field, edges, node) and a few fields more
  introspectionDepth: 20, // the standard query, which unwraps types nine times, is 15 deep
  introspectionLists: 3, // the standard query has types → fields → args; a fourth list would multiply once more
  introspections: 5, // tools ask for one, or for a few types by name to see what a server can do
  rootFields: 30, // each one is an operation with its own authorization and statements
  fields: 1_000, // four times the introspection query; validation compares equal ones pairwise
  aliases: 60, // aliases let one request do the same costly field again, guesses at a secret included
  directives: 60, // enough for @include on every part of a large page
  cost: 20_000, // a connection of 100 with one of 50 inside, or two default pages inside each other with room to spare
};

export type LimitName = keyof DocumentLimits;

const units: Readonly<Record<LimitName, string>> = {
  sourceBytes: 'bytes',
  tokens: 'tokens',
  comments: 'comments',
  nesting: 'levels of nesting',
  depth: 'levels of fields',
  introspectionDepth: 'levels of introspection fields',
  introspectionLists: 'introspection lists inside each other',
  introspections: 'introspection fields',
  rootFields: 'fields at its root',
  fields: 'fields',
  aliases: 'aliases',
  directives: 'directives',
  cost: 'points of cost',
};

/** Counts stop here, so that a product of products stays an exact number. */
const countCeiling = 1_000_000_000;

export const saturate = (count: number): number => Math.min(count, countCeiling);

/** Throws unless `actual` is allowed. `details.actual` is where counting stopped. */
export function checkLimit(limit: LimitName, limits: DocumentLimits, actual: number): void {
  const allowed = limits[limit];
  if (actual <= allowed) return;
  throw new ServiceError('GRAPHQL_LIMIT_EXCEEDED', {
    message: `The document has more than ${allowed} ${units[limit]}.`,
    details: { limit, allowed, actual },
  });
}

/**
 * Checks what must hold before parsing: size, tokens, comments and nesting (the parser recurses). Returns the number of
 * tokens. A source the lexer refuses passes as far as it was read: the parser stops at the same place and says why.
 */
export function checkSource(source: string, limits: DocumentLimits = documentLimits): number {
  checkLimit('sourceBytes', limits, Buffer.byteLength(source));
  const lexer = new Lexer(new Source(source));
  let tokens = 0;
  let comments = 0;
  let nesting = 0;
  try {
    for (;;) {
      const token = lexer.advance();
      for (let before = token.prev; before?.kind === TokenKind.COMMENT; before = before.prev) comments++;
      checkLimit('comments', limits, comments);
      if (token.kind === TokenKind.EOF) break;
      checkLimit('tokens', limits, ++tokens);
      if (isOpening(token.kind)) checkLimit('nesting', limits, ++nesting);
      else if (isClosing(token.kind)) nesting--;
    }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
  }
  return tokens;
}

const isOpening = (kind: string) =>
  kind === TokenKind.BRACE_L || kind === TokenKind.PAREN_L || kind === TokenKind.BRACKET_L;
const isClosing = (kind: string) =>
  kind === TokenKind.BRACE_R || kind === TokenKind.PAREN_R || kind === TokenKind.BRACKET_R;

/** What the selections of one node come to, fragments expanded. */
interface Tally {
  /** Fields of this very selection set, fragments expanded. */
  rootFields: number;
  fields: number;
  aliases: number;
  directives: number;
  /** Selection sets inside each other, this one included. */
  nesting: number;
  /** Levels of fields and of introspection lists, as if all of it were introspection. */
  levels: number;
  lists: number;
  /** Levels of fields outside introspection, and the most that any introspection inside has. */
  depth: number;
  introspectionDepth: number;
  introspectionLists: number;
  introspections: number;
}

/**
 * Throws if a document asks for more than `limits`, whatever its variables. Meant to run before validation, so it takes
 * any document that parses: cycles, undefined fragments and unknown fields are left for validation to name.
 */
export function checkLimits(document: DocumentNode, limits: DocumentLimits = documentLimits): void {
  const tallies = foldSelections<Tally, undefined>(document, { enter: () => undefined, begin, add });
  const operations: Tally[] = [];
  for (const [{ kind }, tally] of tallies) if (kind === Kind.OPERATION_DEFINITION) operations.push(tally);
  for (const limit of limitsOfAll) checkLimit(limit, limits, largest(tallies.values(), limit));
  for (const limit of limitsOfOperations) checkLimit(limit, limits, largest(operations, limit));
}

// Fragments count on their own as well, since validation looks into those that nothing spreads.
const limitsOfAll = ['nesting', 'fields', 'aliases', 'directives'] as const;
const limitsOfOperations = [
  'rootFields',
  'depth',
  'introspectionDepth',
  'introspectionLists',
  'introspections',
] as const satisfies readonly LimitName[];

function largest(tallies: Iterable<Tally>, measure: keyof Tally): number {
  let most = 0;
  for (const tally of tallies) most = Math.max(most, tally[measure]);
  return most;
}

function begin(node: Selecting): Tally {
  let directives = 0;
  if (node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION) {
    directives = node.directives?.length ?? 0;
    for (const variable of node.variableDefinitions ?? []) directives += variable.directives?.length ?? 0;
  }
  return { ...nothing, directives, nesting: 1 };
}

function add(into: Tally, selection: SelectionNode, below: Tally = nothing): void {
  into.fields = saturate(into.fields + below.fields);
  into.aliases = saturate(into.aliases + below.aliases);
  into.directives = saturate(into.directives + below.directives + (selection.directives?.length ?? 0));
  into.introspections = saturate(into.introspections + below.introspections);
  into.nesting = Math.max(into.nesting, below.nesting + 1);
  if (selection.kind !== Kind.FIELD) {
    into.rootFields = saturate(into.rootFields + below.rootFields);
    into.levels = Math.max(into.levels, below.levels);
    into.lists = Math.max(into.lists, below.lists);
    into.depth = Math.max(into.depth, below.depth);
    into.introspectionDepth = Math.max(into.introspectionDepth, below.introspectionDepth);
    into.introspectionLists = Math.max(into.introspectionLists, below.introspectionLists);
    return;
  }
  const name = selection.name.value;
  const introspects = name === '__schema' || name === '__type';
  const levels = below.levels + 1;
  into.rootFields = saturate(into.rootFields + 1);
  into.fields = saturate(into.fields + 1);
  if (selection.alias !== undefined) into.aliases = saturate(into.aliases + 1);
  into.levels = Math.max(into.levels, levels);
  into.lists = Math.max(into.lists, below.lists + (introspectionListFields.has(name) ? 1 : 0));
  if (introspects) into.introspections = saturate(into.introspections + 1);
  into.depth = Math.max(into.depth, introspects ? 1 : below.depth + 1);
  into.introspectionDepth = Math.max(into.introspectionDepth, introspects ? levels : below.introspectionDepth);
  into.introspectionLists = Math.max(into.introspectionLists, introspects ? below.lists : below.introspectionLists);
}

const nothing: Tally = {
  rootFields: 0,
  fields: 0,
  aliases: 0,
  directives: 0,
  nesting: 0,
  levels: 0,
  lists: 0,
  depth: 0,
  introspectionDepth: 0,
  introspectionLists: 0,
  introspections: 0,
};

/** Fields of the introspection schema that answer with a list as long as the schema makes it. */
const introspectionListFields = new Set([
  'types',
  'directives',
  'fields',
  'args',
  'inputFields',
  'interfaces',
  'possibleTypes',
  'enumValues',
]);
