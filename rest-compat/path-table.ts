import findMyWay, { type HTTPMethod } from 'find-my-way';
import { invalidField, ServiceError } from '../core/errors.ts';
import type { Method } from './rest-request.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly HTTPMethod[];

export interface Found<Entry> {
  readonly entry: Entry;
  readonly params: Readonly<Record<string, string>>;
}

interface PathEntry {
  readonly method: Method;
  readonly path: string;
  /** Whether its GET uses something up: whoever only looks, by HEAD, is then refused. */
  readonly singleUse?: true;
}

/** What answers which method of which path, patterns such as `/orgs/v1/:org_id` among them. */
export class PathTable<Entry extends PathEntry> {
  readonly #router = findMyWay({ ignoreTrailingSlash: true, caseSensitive: true, maxParamLength: 1024 });

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) this.#router.on(entry.method, entry.path, () => undefined, entry);
  }

  /**
   * The entry of a request; HEAD is answered by what answers GET.
   *
   * @throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED with the methods that the path does answer, or VALIDATION_FAILED for
   * a path that cannot be decoded
   */
  match(method: string, path: string): Found<Entry> {
    refuseBrokenEscapes(path);
    const isHead = method === 'HEAD';
    const found = this.#find(isHead ? 'GET' : method, path);
    if (found !== undefined && !(isHead && found.entry.singleUse)) return found;
    const allowed = methods.filter((one) => this.#find(one, path) !== undefined);
    if (allowed.length === 0) throw new ServiceError('ROUTE_NOT_FOUND', { details: { path } });
    const singleUse = this.#find('GET', path)?.entry.singleUse === true;
    const allow = allowHeader(allowed).filter((one) => one !== 'HEAD' || !singleUse);
    throw new ServiceError('METHOD_NOT_ALLOWED', { allow, details: { method, allow } });
  }

  #find(method: string, path: string): Found<Entry> | undefined {
    if (!(methods as readonly string[]).includes(method)) return undefined;
    const found = this.#router.find(method as HTTPMethod, path);
    // An id of no characters is no id: `/orgs/v1//` is not the path of an organization.
    if (found === null || Object.values(found.params).includes('')) return undefined;
    return { entry: found.store as Entry, params: found.params as Record<string, string> };
  }
}

function refuseBrokenEscapes(path: string): void {
  if (!path.includes('%')) return;
  try {
    decodeURIComponent(path);
  } catch {
    const reason = 'has a broken percent escape';
    throw invalidField('path', reason);
  }
}

/** What an `Allow` header lists: HEAD comes with GET, and OPTIONS is answered everywhere. */
export const allowHeader = (allowed: readonly string[]): string[] => [
  ...allowed,
  ...(allowed.includes('GET') ? ['HEAD'] : []),
  'OPTIONS',
];
