import type { IncomingHttpHeaders } from 'node:http';
import type { RowAnswer } from '../../engines/rows/answer/row-plan.ts';
import { RowError } from '../../engines/rows/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import { authenticateRows, type RowCaller } from '../../resolvers/rows/authenticate-rows.ts';
import { runRows } from '../../resolvers/rows/run-rows.ts';
import type { RowPath } from './routes.ts';

/** Largest body of a request for rows, in bytes. Contract 01, section 2.2. */
export const rowBodyBytesMax = 10 * 1024 * 1024;

/** Headers that stay outside of a project: its SQL is not to collect its users' credentials. */
const hidden = new Set([
  ...['authorization', 'apikey', 'cookie', 'sign-in-with-x', 'x-svc-write-auth', 'x-svc-csrf', 'x-admin-key'],
]);

export interface RowCall {
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Who asks, and whether it may ask here. @throws ServiceError */
export const openRows = (path: RowPath, ctx: Context): Promise<RowCaller> => authenticateRows(ctx, path.door);

/** Answers a request for rows; refusals in the dialect are answers too. @throws ServiceError for the others */
export async function answerRows(path: RowPath, caller: RowCaller, call: RowCall, ctx: Context): Promise<RowAnswer> {
  const { method, target, prefix } = path;
  const header = (name: string) => {
    const value = call.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  try {
    const request = { method, target, search: call.search, header, body: call.body };
    const answer = await runRows(ctx, caller, request, { path: call.path, headers: shown(call.headers) });
    const { location } = answer.headers;
    if (location === undefined) return answer;
    return { ...answer, headers: { ...answer.headers, location: `${prefix}${location}` } };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    if (ctx.subject !== undefined) ctx.subject.code = error.code;
    return refusalAnswer(error);
  }
}

const refusalAnswer = ({ status, body, headers }: RowError): RowAnswer => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    ...headers,
  },
  body: JSON.stringify(body),
});

/** What SQL inside the project may see of a request's headers. */
export function shown(headers: IncomingHttpHeaders): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !hidden.has(name)) seen[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return seen;
}
