import findMyWay, { type HTTPMethod } from 'find-my-way';
import { invalidField, ServiceError } from '../core/errors.ts';
import type { Method } from './rest-request.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly HTTPMethod[];

/** Longest parameter of a documented path, in characters. */
const parameterCharactersMax = 1024;
/** A raw parameter is as long as a request can be, in characters. */
const targetCharactersMax = 64 * 1024;

export interface PathEntry {
  /** `OPTIONS`: the path answers it with more than a preflight. `*`: every method that no other entry names. */
  readonly method: Method | 'OPTIONS' | '*';
  /** Literals, `:parameters` that are a segment each, and `*` at the end for the rest. */
  readonly path: string;
  /**
   * `exact`: a request spells the path character for character. `raw`: it spells the literals so, and parameters are
   * handed on as they came. @default escapes are resolved
   */
  readonly spelling?: 'exact' | 'raw';
  /** Whether its GET uses something up: HEAD, which only looks, is then refused. */
  readonly singleUse?: true;
}

export interface Found<Entry> {
  readonly entry: Entry;
  readonly params: Readonly<Record<string, string>>;
}

/** The entries of one path, by their methods. */
type ByMethod<Entry> = Partial<Record<string, Entry>>;

interface Owned<Entry> {
  readonly byMethod: Readonly<ByMethod<Entry>>;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Which entry answers which method of which path. Exact paths are looked at first, then raw ones, then the others. An
 * exact or raw path owns all of its methods. Among patterns, from left to right, a literal comes before a parameter, and
 * that before a `*`. A slash at the end makes no other path, except for an exact one.
 */
export class PathTable<Entry extends PathEntry> {
  readonly #exact = new Map<string, ByMethod<Entry>>();
  readonly #raw = findMyWay({ caseSensitive: true, maxParamLength: targetCharactersMax });
  readonly #resolved = findMyWay({
    caseSensitive: true,
    ignoreTrailingSlash: true,
    maxParamLength: parameterCharactersMax,
  });

  /** @throws Error for entries of which one hides the other */
  constructor(entries: readonly Entry[]) {
    const rawPaths = new Map<string, ByMethod<Entry>>();
    for (const entry of entries) {
      const { method, path, spelling } = entry;
      if (spelling === undefined) {
        this.#resolved.on(method as HTTPMethod, path, ignore, entry);
        continue;
      }
      const paths = spelling === 'exact' ? this.#exact : rawPaths;
      const byMethod = paths.get(path) ?? {};
      if (byMethod[method] !== undefined) throw new Error(`Two entries answer ${method} ${path}.`);
      byMethod[method] = entry;
      paths.set(path, byMethod);
    }
    // One tree for all methods, since such a path owns them.
    for (const [path, byMethod] of rawPaths) this.#raw.on('GET', path, ignore, byMethod);
    for (const { method, path, spelling } of entries) {
      const hidden =
        spelling === undefined ? this.owned(path) !== undefined : spelling === 'raw' && this.#exact.has(path);
      if (hidden) throw new Error(`Another entry hides ${method} ${path}: it owns the path.`);
    }
  }

  /**
   * The entry of a request; HEAD is answered by the entry for GET.
   *
   * @throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED with the methods that the path does answer, or VALIDATION_FAILED for
   * a path that cannot be decoded
   */
  match(method: string, path: string): Found<Entry> {
    const owned = this.owned(path);
    if (owned === undefined) refuseBrokenEscapes(path);
    const find = (one: string) => (owned === undefined ? this.#findResolved(one, path) : entryOf(owned, one));
    const isHead = method === 'HEAD';
    const found = find(isHead ? 'GET' : method);
    if (found !== undefined && !(isHead && found.entry.singleUse)) return found;
    const allowed = methods.filter((one) => find(one) !== undefined);
    if (allowed.length === 0) throw new ServiceError('ROUTE_NOT_FOUND', { details: { path } });
    const singleUse = find('GET')?.entry.singleUse === true;
    const allow = allowHeader(allowed).filter((one) => one !== 'HEAD' || !singleUse);
    throw new ServiceError('METHOD_NOT_ALLOWED', { allow, details: { method, allow } });
  }

  /** Whether some method of a path is answered. */
  has(path: string): boolean {
    if (this.owned(path) !== undefined) return true;
    return isDecodable(path) && methods.some((one) => this.#findResolved(one, path) !== undefined);
  }

  /** The exact or raw entries that own a path, whatever its method; undefined where there are none. */
  owned(path: string): Owned<Entry> | undefined {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return { byMethod: exact, params: {} };
    // The router resolves escapes and cuts at a `#`. Escaped once more, a path comes out of it as it was sent.
    const escaped = path.replaceAll(/[%#]/g, encodeURIComponent);
    return this.#findRaw(escaped) ?? (path.endsWith('/') ? this.#findRaw(escaped.slice(0, -1)) : undefined);
  }

  #findRaw(path: string): Owned<Entry> | undefined {
    const found = this.#raw.find('GET', path);
    if (found === null || hasEmptyParameter(found.params)) return undefined;
    return { byMethod: found.store as ByMethod<Entry>, params: found.params as Record<string, string> };
  }

  #findResolved(method: string, path: string): Found<Entry> | undefined {
    const found = this.#resolved.find(method as HTTPMethod, path);
    if (found === null || hasEmptyParameter(found.params)) return undefined;
    return { entry: found.store as Entry, params: found.params as Record<string, string> };
  }
}

/** Required by the router, which is asked for entries alone. */
const ignore = () => undefined;

function entryOf<Entry>({ byMethod, params }: Owned<Entry>, method: string): Found<Entry> | undefined {
  const entry = byMethod[method] ?? byMethod['*'];
  return entry === undefined ? undefined : { entry, params };
}

/** An id of no characters is no id: `/orgs/v1//` is not the path of an organization. The rest of a path may be empty. */
const hasEmptyParameter = (params: Readonly<Record<string, string | undefined>>): boolean =>
  Object.entries(params).some(([name, value]) => value === '' && name !== '*');

function refuseBrokenEscapes(path: string): void {
  if (!isDecodable(path)) throw invalidField('path', 'has a broken percent escape');
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** What an `Allow` header lists: HEAD comes with GET, and OPTIONS is answered everywhere. */
export const allowHeader = (allowed: readonly string[]): string[] => [
  ...allowed,
  ...(allowed.includes('GET') ? ['HEAD'] : []),
  'OPTIONS',
];
