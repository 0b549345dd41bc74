import type { RowCaller } from '../../resolvers/rows/authenticate-rows.ts';
import { allRoutes } from '../../rest-compat/all-routes.ts';
import { answerRoute } from '../../rest-compat/handle.ts';
import type { Route } from '../../rest-compat/route.ts';
import { answerRows, openRows, rowBodyBytesMax } from '../../rest-compat/rows/answer.ts';
import { type RowPath, type RowRoute, rowPathOf, rowRoutes } from '../../rest-compat/rows/routes.ts';
import { bodyBytesMax } from '../body.ts';
import { sendAnswer, sendJson } from '../respond.ts';
import type { CallEntry, Entry } from './entry.ts';

/** The documented paths: of operations, of a project's users, of sessions, and of rows. */
export const documentedEntries = (): Entry[] => [...allRoutes.map(restEntry), ...rowRoutes.map(rowEntry)];

const restEntry = (route: Route): CallEntry => ({
  host: 'gateway',
  method: route.method,
  path: route.path,
  ...(route.singleUse === true ? { singleUse: true } : {}),
  auth: 'operation',
  body: route.bodyBytesMax ?? bodyBytesMax,
  async run({ exchange: { request, response, path, search }, params, ctx, body }) {
    const { headers } = request;
    const { 'content-type': contentType, accept } = headers;
    const call = { method: request.method!, path, search, contentType, accept, headers, body };
    const answer = await answerRoute({ route, params }, call, ctx);
    if (response.destroyed) return;
    const { status, headers: own, body: answered } = answer;
    if (own === undefined) sendJson(response, status, answered);
    else sendAnswer(response, { status, headers: own, body: answered as string | Uint8Array });
  },
});

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
