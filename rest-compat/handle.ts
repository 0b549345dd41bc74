import findMyWay, { type HTTPMethod } from 'find-my-way';
import { invalidField, ServiceError } from '../core/errors.ts';
import type { Context } from '../resolvers/context.ts';
import { isPlainText, parseJsonBody, parseQuery, parseTextBody } from './body.ts';
import type { RestAnswer, Route } from './route.ts';

/** A request as the server hands it on: decoded by nobody yet. */
export interface RestCall {
  readonly method: string;
  readonly path: string;
  /** What follows the question mark. */
  readonly search: string;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly body: Uint8Array;
}

export interface Matched {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly HTTPMethod[];

/** Finds documented paths and answers them. */
export class RestRoutes {
  readonly #router = findMyWay({ ignoreTrailingSlash: true, caseSensitive: true, maxParamLength: 1024 });

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#router.on(route.method, route.path, () => undefined, route);
  }

  /**
   * The route of a request; HEAD is answered by what answers GET.
   *
   * @throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED with the methods that the path does answer, or VALIDATION_FAILED for
   * a path that cannot be decoded
   */
  match(method: string, path: string): Matched {
    refuseBrokenEscapes(path);
    const found = this.#find(method === 'HEAD' ? 'GET' : method, path);
    if (found !== undefined) return found;
    const allowed = methods.filter((one) => this.#find(one, path) !== undefined);
    if (allowed.length === 0) throw new ServiceError('ROUTE_NOT_FOUND', { details: { path } });
    throw new ServiceError('METHOD_NOT_ALLOWED', {
      allow: allowHeader(allowed),
      details: { method, allow: allowHeader(allowed) },
    });
  }

  #find(method: string, path: string): Matched | undefined {
    if (!(methods as readonly string[]).includes(method)) return undefined;
    const found = this.#router.find(method as HTTPMethod, path);
    // An id of no characters is no id: `/orgs/v1//` is not the path of an organization.
    if (found === null || Object.values(found.params).includes('')) return undefined;
    return { route: found.store as Route, params: found.params as Record<string, string> };
  }

  /** Runs a matched route. @throws ServiceError for every refusal */
  answer({ route, params }: Matched, call: RestCall, ctx: Context): Promise<RestAnswer> {
    const body = route.method === 'GET' ? {} : bodyOf(route, call);
    const query = parseQuery(call.search);
    return route.run(ctx, {
      params,
      query,
      body,
      markdown: route.hasMarkdown === true && wantsMarkdown(query.format, call),
    });
  }
}

/** `?format=` has the word, then the header. @throws VALIDATION_FAILED for a format that there is not */
function wantsMarkdown(format: string | undefined, { accept = '' }: RestCall): boolean {
  if (format !== undefined && format !== 'markdown' && format !== 'json')
    throw invalidField('format', 'must be json or markdown');
  return format === undefined ? /(^|,)\s*text\/markdown\s*(;|,|$)/i.test(accept) : format === 'markdown';
}

function bodyOf({ textAs }: Route, { body, contentType }: RestCall): Readonly<Record<string, unknown>> {
  if (textAs === undefined || !isPlainText(contentType)) return parseJsonBody(body, contentType);
  return { [textAs]: parseTextBody(body, contentType) };
}

function refuseBrokenEscapes(path: string): void {
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
