import { hostConfig, liveTables } from '../../resolvers/hosts/host-config.ts';
import { answerHosted, hostedRoutes, openHost } from '../../rest-compat/hosted/answer.ts';
import type { Host, HostedRoute } from '../../rest-compat/hosted/call.ts';
import { bodyBytesMax } from '../body.ts';
import type { Exchange, HttpOptions } from '../exchange.ts';
import { sendAnswer } from '../respond.ts';
import { answerTenantLive } from '../tenant-live.ts';
import type { Call, CallEntry, Entry } from './entry.ts';

/** The paths of a project's host. Those of the API are not among them: their credentials are not for its pages. */
export function projectHostEntries(options: HttpOptions): Entry[] {
  const read = { host: 'project', method: 'GET', spelling: 'exact', auth: countAtHost, body: 'unread' } as const;
  const live = ({ exchange, ctx, admitted }: Call<Host>) => answerTenantLive(options, exchange, ctx, admitted);
  return [
    { ...read, path: '/_svc/config.js', run: answerScript(options) },
    { ...read, path: '/_svc/config.json', run: answerConfig(options) },
    { ...read, path: '/_svc/live', run: live },
    { ...read, path: '/_svc/live/changes', run: live },
    ...hostedRoutes.map(hostedEntry),
  ];
}

/** The host that was asked, which was resolved before its paths were looked at. */
const hostOf = ({ project }: Exchange): Host => project!;

async function countAtHost({ exchange, ctx }: Pick<Call, 'exchange' | 'ctx'>): Promise<Host> {
  const host = hostOf(exchange);
  openHost(ctx, host);
  return host;
}

const hostedEntry = (route: HostedRoute): CallEntry => ({
  host: 'project',
  method: route.method,
  path: route.path,
  ...(route.singleUse === true ? { singleUse: true } : {}),
  auth: 'operation',
  body: bodyBytesMax,
  async run({ exchange, params, ctx, body }) {
    const { request, response, path, search } = exchange;
    const asked = { method: request.method!, path, search, headers: request.headers, body };
    const answered = await answerHosted({ route, params }, ctx, hostOf(exchange), asked, (name, values) => {
      response.setHeader(name, values);
    });
    if (!response.destroyed) sendAnswer(response, answered);
  },
});

/** A proxy that is believed says by which host and scheme it was asked, so that a cache behind it has to know as well. */
const cached = ({ trustedProxies }: HttpOptions) => ({
  'cache-control': 'public, max-age=60',
  vary: trustedProxies === undefined ? 'Host' : 'Host, X-Forwarded-Host, X-Forwarded-Proto',
});

const answerScript =
  (options: HttpOptions) =>
  async ({ exchange: { response }, ctx, admitted: host }: Call<Host>): Promise<void> => {
    const body = `window.SVC = ${asScript(await hostConfig(ctx, host.target, host.origin))};\n`;
    const headers = { 'content-type': 'text/javascript; charset=utf-8', ...cached(options) };
    sendAnswer(response, { status: 200, headers, body });
  };

const answerConfig =
  (options: HttpOptions) =>
  async ({ exchange: { response }, ctx, admitted: host }: Call<Host>): Promise<void> => {
    const { target, origin } = host;
    const [config, tables] = await Promise.all([hostConfig(ctx, target, origin), liveTables(ctx, target)]);
    const live = tables.length === 0 ? null : { path: '/_svc/live', tables };
    const headers = { 'content-type': 'application/json; charset=utf-8', ...cached(options) };
    sendAnswer(response, { status: 200, headers, body: JSON.stringify({ ...config, live, embedding: null }) });
  };

/** JSON that is safe in a script, wherever that is written. */
const asScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
