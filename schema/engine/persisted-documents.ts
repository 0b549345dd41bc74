import { createHash } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { Lru, type LruBounds } from '../../core/lru.ts';
import { documentLimits } from './limits.ts';

/** The members of a GraphQL request that say which document to run. */
export interface DocumentRequest {
  readonly query?: string | null | undefined;
  readonly extensions?: unknown;
}

export type ResolvedSource = { readonly source: string } | { readonly refuse: ServiceError };

const persistedBounds: LruBounds = { entries: 1_000, bytes: 16 * 1024 * 1024 };
const sha256Hex = /^[0-9a-f]{64}$/i;

/**
 * Automatic persisted queries: a client sends a hash alone, and the document with it when the hash is not known here.
 * A hash answers for the text and for nothing else, so what one caller taught, all may use.
 */
export class PersistedDocuments {
  readonly #sources: Lru<string>;

  constructor(bounds: LruBounds = persistedBounds) {
    this.#sources = new Lru(bounds);
  }

  resolve({ query, extensions }: DocumentRequest): ResolvedSource {
    if (!isRecordOrAbsent(extensions)) return invalid('`extensions` must be an object.');
    const persisted = extensions?.persistedQuery;
    if (persisted === undefined || persisted === null) {
      return typeof query === 'string' ? { source: query } : invalid('`query` must be a GraphQL document.');
    }
    const hash = hashOf(persisted);
    if (hash === undefined) return invalid('`persistedQuery` must have version 1 and a `sha256Hash` in hexadecimal.');
    const known = this.#sources.get(hash);
    // On a socket a query has to be there: an empty one, which is no document, stands for none.
    if (typeof query !== 'string' || query === '') {
      return known === undefined ? { refuse: new ServiceError('PERSISTED_QUERY_NOT_FOUND') } : { source: known };
    }
    if (query === known) return { source: known };
    // Too large to run is too large to hash and remember: preparing it says so.
    if (query.length > documentLimits.sourceBytes) return { source: query };
    if (createHash('sha256').update(query).digest('hex') !== hash) {
      return invalid('`sha256Hash` is not the hash of `query`.');
    }
    this.#sources.set(hash, query, Buffer.byteLength(query));
    return { source: query };
  }
}

const isRecordOrAbsent = (value: unknown): value is Readonly<Record<string, unknown>> | null | undefined =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value));

function hashOf(persisted: unknown): string | undefined {
  if (!isRecordOrAbsent(persisted) || persisted?.version !== 1) return undefined;
  const { sha256Hash } = persisted;
  return typeof sha256Hash === 'string' && sha256Hex.test(sha256Hash) ? sha256Hash.toLowerCase() : undefined;
}

const invalid = (message: string) => ({ refuse: new ServiceError('VALIDATION_FAILED', { message }) });
