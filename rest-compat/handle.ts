import { invalidField } from '../core/errors.ts';
import type { Context } from '../kernel/run/context.ts';
import { isForm, isPlainText, parseApiBody, parseFormBody, parseJsonBody, parseQuery, parseTextBody } from './body.ts';
import type { PathDoc } from './openapi/path-doc.ts';
import { isApiPath } from './problem.ts';
import type { RestHeaders, RestRequest } from './rest-request.ts';
import type { RestAnswer, Route } from './route.ts';

/** A request as the server hands it on, not decoded yet. */
export interface RestCall {
  readonly method: string;
  readonly path: string;
  /** What follows the question mark. */
  readonly search: string;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly headers: RestHeaders;
  readonly body: Uint8Array;
}

export interface Matched {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** What the description of the API says of those that are in it. */
export const describeRoutes = (routes: readonly Route[]): PathDoc[] =>
  routes.flatMap(({ describe }) => (describe === undefined ? [] : [describe()]));

/** Runs a matched route. @throws ServiceError for every refusal */
export function answerRoute({ route, params }: Matched, call: RestCall, ctx: Context): Promise<RestAnswer> {
  let body: RestRequest['body'];
  let query: RestRequest['query'];
  try {
    body = route.method === 'GET' ? {} : bodyOf(route, call);
    query = parseQuery(call.search, route.repeats);
  } catch (error) {
    // A caller without a payment is told the price, even if nothing else of the request can be read.
    if (
      route.isSold !== true ||
      ctx.paymentContext?.signature !== undefined ||
      ctx.paymentContext?.legacy !== undefined
    )
      throw error;
    return route.run(ctx, { params, query: {}, body: {} });
  }
  return route.run(ctx, {
    params,
    query,
    body,
    markdown: route.hasMarkdown === true && wantsMarkdown(query.format, call),
    headers: call.headers,
    head: call.method === 'HEAD',
  });
}

/** `?format=` has the word, then the header. @throws VALIDATION_FAILED for a format that there is not */
function wantsMarkdown(format: string | undefined, { accept = '' }: RestCall): boolean {
  if (format !== undefined && format !== 'markdown' && format !== 'json')
    throw invalidField('format', 'must be json or markdown');
  return format === undefined ? /(^|,)\s*text\/markdown\s*(;|,|$)/i.test(accept) : format === 'markdown';
}

function bodyOf({ path, textAs, form }: Route, { body, contentType }: RestCall): Readonly<Record<string, unknown>> {
  if (isApiPath(path)) return parseApiBody(body);
  if (form === true && isForm(contentType)) return parseFormBody(body);
  if (textAs === undefined || !isPlainText(contentType)) return parseJsonBody(body, contentType);
  return { [textAs]: parseTextBody(body, contentType) };
}
