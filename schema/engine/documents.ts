import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ServiceError } from '../../core/errors.ts';
import { Lru, type LruBounds } from '../../core/lru.ts';
import { type CostPlan, planCost } from './cost.ts';
import { checkLimits, checkSource, type DocumentLimits, documentLimits } from './limits.ts';

/** A document that may run. One object per source text, so that whatever is cached by document is found again. */
export interface ReadyDocument {
  readonly ok: true;
  readonly document: DocumentNode;
  readonly operations: readonly OperationDefinitionNode[];
  /** For `checkCost`, with the variables of each request. */
  readonly cost: CostPlan;
  /** Roughly what keeping it takes. */
  readonly bytes: number;
}

/** Why a document may not run. Shared between requests like a ready one: render it, do not write to it. */
export interface RefusedDocument {
  readonly ok: false;
  readonly code: ErrorCode;
  /** With `locations` where there are any, without `nodes`, which would keep the whole document in memory. */
  readonly errors: readonly GraphQLError[];
  readonly details?: Readonly<Record<string, unknown>>;
  /** Roughly what keeping it takes. */
  readonly bytes: number;
}

export type PreparedDocument = ReadyDocument | RefusedDocument;

export interface DocumentOptions {
  /** Whether documents may ask for `__schema` and `__type`. @default true */
  readonly introspection?: boolean;
  readonly limits?: DocumentLimits;
  /** What may be kept of documents that may run; as much as a quarter of it is kept of refusals. */
  readonly bounds?: LruBounds;
}

const validationErrorsMax = 20;
/** Measured on Node 22: nodes, locations and tokens of a parsed document take 240 to 420 bytes for each token. */
const bytesPerToken = 400;
/** An error object with its stack, besides its message. */
const bytesPerError = 1_024;
const readyBounds: LruBounds = { entries: 1_000, bytes: 64 * 1024 * 1024 };
// Refusals are kept apart: a flood of bad documents cannot push out the good ones.
const refusedBounds: LruBounds = { entries: 1_000, bytes: 4 * 1024 * 1024 };

/** The documents of one schema, prepared once for each source text and remembered within bounds. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #options: Required<Omit<DocumentOptions, 'bounds'>>;
  readonly #ready: Lru<ReadyDocument>;
  readonly #refused: Lru<RefusedDocument>;

  constructor(schema: GraphQLSchema, { introspection = true, limits = documentLimits, bounds }: DocumentOptions = {}) {
    this.#schema = schema;
    this.#ready = new Lru(bounds ?? readyBounds);
    this.#refused = new Lru(bounds === undefined ? refusedBounds : { ...bounds, bytes: bounds.bytes / 4 });
    this.#options = { introspection, limits };
  }

  prepare(source: string): PreparedDocument {
    // Refusing by length is cheaper than looking up so long a key, and than keeping it.
    if (source.length > this.#options.limits.sourceBytes) return this.#prepare(source);
    const known = this.#ready.get(source) ?? this.#refused.get(source);
    if (known !== undefined) return known;
    const prepared = this.#prepare(source);
    if (prepared.ok) this.#ready.set(source, prepared, prepared.bytes);
    else this.#refused.set(source, prepared, prepared.bytes);
    return prepared;
  }

  /** Counts what is kept for as long as a document is, besides the document. */
  grow({ loc }: DocumentNode, bytes: number): void {
    if (loc !== undefined) this.#ready.grow(loc.source.body, bytes);
  }

  #prepare(source: string): PreparedDocument {
    return prepareDocument(this.#schema, source, this.#options);
  }
}

/** Size and nesting, parsing, limits, validation: each step makes the next one safe. */
function prepareDocument(
  schema: GraphQLSchema,
  source: string,
  { introspection, limits }: Required<Omit<DocumentOptions, 'bounds'>>,
): PreparedDocument {
  const sourceBytes = source.length * 2;
  const refused = (code: ErrorCode, errors: readonly GraphQLError[], details?: RefusedDocument['details']) => ({
    ok: false as const,
    code,
    errors,
    ...(details && { details }),
    bytes: errors.reduce((bytes, { message }) => bytes + message.length * 2 + bytesPerError, sourceBytes),
  });
  try {
    const tokens = checkSource(source, limits);
    const document = parse(source, { maxLexicalTokens: limits.tokens, maxComments: limits.comments });
    checkLimits(document, limits);
    const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
    const errors = validate(schema, document, rules, { maxErrors: validationErrorsMax });
    if (errors.length > 0) return refused('GRAPHQL_VALIDATION_FAILED', errors.map(withoutNodes));
    const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    const bytes = sourceBytes + tokens * bytesPerToken;
    return { ok: true, document, operations, cost: planCost(schema, document), bytes };
  } catch (error) {
    if (error instanceof ServiceError) return refused(error.code, [new GraphQLError(error.message)], error.details);
    if (error instanceof GraphQLError) return refused('GRAPHQL_PARSE_FAILED', [error]);
    throw error;
  }
}

function withoutNodes({ message, source, positions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, { source, positions });
}
