import { ServiceError } from '../../core/errors.ts';
import type { RowCaller } from '../../resolvers/rows/authenticate-rows.ts';
import { allRoutes } from '../../rest-compat/all-routes.ts';
import { answerRoute } from '../../rest-compat/handle.ts';
import { allowHeader } from '../../rest-compat/path-table.ts';
import type { ObjectAnswer, Route } from '../../rest-compat/route.ts';
import { answerRows, openRows, rowBodyBytesMax } from '../../rest-compat/rows/answer.ts';
import { type RowPath, type RowRoute, rowPathOf, rowRoutes } from '../../rest-compat/rows/routes.ts';
import { bodyBytesMax } from '../body.ts';
import { ReadyFile } from '../hosting/ready-file.ts';
import type { FileSender } from '../hosting/send-file.ts';
import { sendAnswer, sendJson } from '../respond.ts';
import type { CallEntry, Entry } from './entry.ts';

/** The documented paths: of operations, of a project's users, of sessions, and of rows. */
export const documentedEntries = (sender: FileSender): Entry[] => [
  ...allRoutes.map((route) => restEntry(route, sender)),
  ...rowRoutes.map(rowEntry),
];

const restEntry = (route: Route, sender: FileSender): CallEntry => ({
  host: 'gateway',
  method: route.method,
  path: route.rest === undefined ? route.path : `${route.path.slice(0, route.path.indexOf(':'))}*`,
  ...(route.singleUse === true ? { singleUse: true } : {}),
  auth: 'operation',
  body: route.bodyBytesMax ?? bodyBytesMax,
  async run({ exchange, params: given, ctx, body }) {
    const { request, response, path, search } = exchange;
    const params = route.rest === undefined ? given : { [route.rest]: restOf(route, given['*'] ?? '') };
    const { headers } = request;
    const { 'content-type': contentType, accept } = headers;
    const call = { method: request.method!, path, search, contentType, accept, headers, body };
    const answer = await answerRoute({ route, params }, call, ctx);
    if (response.destroyed) return;
    const { status, headers: own, body: answered, object } = answer;
    if (object !== undefined) return void (await sender.send(exchange, readyObject(object), 200));
    if (own === undefined) sendJson(response, status, answered);
    else sendAnswer(response, { status, headers: own, body: answered as string | Uint8Array });
  },
});

/** What a request names by the rest of its path. @throws METHOD_NOT_ALLOWED where that ends otherwise than the path says */
function restOf({ method, path, rest }: Route, given: string): string {
  const tail = path.slice(path.indexOf(`:${rest}`) + rest!.length + 1);
  if (!given.endsWith(tail) || given.length === tail.length) {
    const others = allRoutes.filter((one) => one.path === path.slice(0, path.length - tail.length));
    const allow = allowHeader(others.map((one) => one.method));
    throw new ServiceError('METHOD_NOT_ALLOWED', { allow, details: { method, allow } });
  }
  return given.slice(0, given.length - tail.length);
}

/** Bytes for one caller alone, whatever browsers make of them. */
const readyObject = ({ projectId, filename, ...file }: ObjectAnswer): ReadyFile =>
  new ReadyFile(file, projectId, [
    'cache-control',
    'private, no-store',
    'content-security-policy',
    'sandbox',
    'content-disposition',
    filename === undefined ? 'attachment' : `attachment; filename="${filename}"`,
  ]);

const rowEntry = (route: RowRoute): CallEntry<{ readonly rows: RowPath; readonly caller: RowCaller }> => ({
  host: 'gateway',
  method: route.method,
  path: route.path,
  spelling: 'raw',
  // A body is large here, and not read for a caller who may not send it.
  async auth({ exchange: { request }, params, ctx }) {
    const rows = rowPathOf(route, request.method!, params);
    return { rows, caller: await openRows(rows, ctx) };
  },
  body: rowBodyBytesMax,
  async run({ exchange: { request, response, path, search }, ctx, admitted: { rows, caller }, body }) {
    const answer = await answerRows(rows, caller, { path, search, headers: request.headers, body }, ctx);
    if (!response.destroyed) sendAnswer(response, answer);
  },
});
