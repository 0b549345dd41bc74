import { headersMax } from '../compile/bounds.ts';
import { answerColumns } from '../compile/document.ts';
import { refusals } from '../errors.ts';
import type { AnswerRow, RowAnswer } from './row-plan.ts';

/** Headers that a project's SQL may set beside `X-…`: none that means something to a proxy or to a browser's security. */
const plain: ReadonlySet<string> = new Set(['retry-after', 'content-language', 'content-disposition', 'link']);

/**
 * Beginnings of names `X-…` that belong to others: to the platform, to proxies and caches in front of it, which take some
 * of them as orders (`X-Accel-Redirect` serves a file of the proxy's, `X-Archive-Files` makes an archive of several), and
 * to browsers.
 */
const taken = [
  ...['svc', 'payment', 'license', 'request-id', 'trace', 'supabase'],
  ...['accel', 'sendfile', 'archive', 'litespeed', 'lighttpd', 'lsws', 'lsadc', 'reproxy'],
  ...['middleware', 'esi', 'do-esi'],
  ...['nginx', 'apache', 'caddy', 'varnish', 'cache'],
  ...['forwarded', 'real-ip', 'client', 'original', 'rewrite', 'proxy', 'http', 'method', 'host', 'server', 'backend'],
  ...['amz', 'goog', 'azure', 'ms', 'cloud', 'fastly', 'akamai', 'edge', 'cdn', 'envoy', 'traefik', 'kong', 'vercel'],
  ...[
    'content',
    'frame',
    'xss',
    'download',
    'permitted',
    'dns',
    'webkit',
    'csp',
    'ua',
    'robots',
    'sourcemap',
    'powered',
  ],
];
const ofOthers = new RegExp(`^x-(?:${taken.join('|')})`);
const ofTenants = /^x-[a-z0-9-]+$/;

/** Relations by which a proxy may push, or a browser fetch, what the project chooses. */
const fetches = /preload|prefetch|preconnect|prerender|stylesheet|icon|manifest|worker|dictionary/i;

/** Whether a link is fetched without being asked for. A backslash in a quoted string means the character behind it. */
const isFetched = (link: string): boolean => fetches.test(link.replace(/\\(.)/g, '$1'));

function isSettable(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  if (!plain.has(lower) && (!ofTenants.test(lower) || ofOthers.test(lower))) return false;
  if (lower === 'link' && isFetched(value)) return false;
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** The headers among these that a project's SQL may set. @throws PGRST111 for more than a client would read */
export function settableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const settables = Object.entries(headers).filter(([name, value]) => isSettable(name, value));
  if (settables.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > headersMax)
    throw refusals.responseHeaders();
  return Object.fromEntries(settables);
}

/**
 * What a function or a trigger said about its answer in `response.status` and `response.headers`. The statement itself
 * has judged them: what is wrong with them undoes it.
 */
export function withTenantResponse(answer: RowAnswer, row: AnswerRow): RowAnswer {
  const status = row[answerColumns.status] ?? undefined;
  const headers = row[answerColumns.headers] ?? undefined;
  if (status === undefined && headers === undefined) return answer;
  const said: Record<string, string>[] = headers === undefined ? [] : JSON.parse(headers);
  return {
    ...answer,
    ...(status === undefined ? {} : { status: Number(status) }),
    headers: { ...answer.headers, ...settableHeaders(Object.assign({}, ...said)) },
  };
}
