import { ServiceError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/exact-json.ts';
import { parameterName } from '../../engines/rows/request/filter.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { getProjectKeys } from '../../resolvers/projects/get-project-keys.ts';
import { authRoutes } from '../../rest-compat/auth/routes.ts';
import { answerRoute } from '../../rest-compat/handle.ts';
import { PathTable } from '../../rest-compat/path-table.ts';
import { answerRows, openRows } from '../../rest-compat/rows/answer.ts';
import { rowPathOf, rowRoutes } from '../../rest-compat/rows/routes.ts';
import { BodyRefusal, type ToolRun } from './tool.ts';

/** Which key of a project a tool needs. */
export type KeyKind = 'anon' | 'service';

/**
 * The same request as holder of a project's key, which its doors want. Who came with such a key uses that one; anybody
 * else has to be one who is shown the project's keys.
 *
 * @param userToken of a user of the project, whose door it is
 */
export async function withProjectKey(
  run: ToolRun,
  project: string,
  kind: KeyKind,
  userToken?: string,
): Promise<Context> {
  const apikey = await keyOf(run.ctx, project, kind);
  const user = userToken === undefined ? {} : { authorization: `Bearer ${userToken}` };
  return run.as({ apikey, ...user }, run.ctx.signal);
}

async function keyOf(ctx: Context, project: string, kind: KeyKind): Promise<string> {
  const caller = await ctx.caller();
  if (caller.kind === 'project_key' && caller.projectId === project) {
    const { apikey, authorization } = ctx.credentials;
    if ((caller.role === 'anon') !== (kind === 'anon'))
      throw new ServiceError('NOT_AUTHORIZED', {
        message: `This takes the project’s ${kind} key, and another one was sent.`,
        details: { reason: 'forbidden' },
      });
    return apikey ?? authorization!.replace(/^Bearer\s+/i, '');
  }
  const keys = await execute(getProjectKeys, ctx, { project }, () => 'project_id');
  return kind === 'anon' ? keys.anonKey : keys.serviceKey;
}

/** The paths that tools ask: what users of a project do, and rows. */
const userPaths = new PathTable(authRoutes);
const rowPaths = new PathTable(rowRoutes);

/** What is sent to a documented path. */
export interface PathRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** A request for rows. */
interface RowsRequest extends PathRequest {
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** The most rows that it may change. */
  readonly maxAffected?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

const searchOf = (query: PathRequest['query'] = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  return search.toString();
};

const bytesOf = (body: unknown): Uint8Array =>
  body === undefined ? new Uint8Array() : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

const json = 'application/json';

/** Asks a path of a project's users as the server would. @throws ServiceError for every refusal */
export async function askPath(ctx: Context, { method, path, query, body }: PathRequest): Promise<object> {
  const call = {
    method,
    path,
    search: searchOf(query),
    contentType: json,
    accept: json,
    headers: { 'content-type': json, accept: json },
    body: bytesOf(body),
  };
  const { entry: route, params } = userPaths.match(method, path);
  const { body: answered } = await answerRoute({ route, params }, call, ctx);
  return answered as object;
}

/** Asks for rows as the server would, and to be shown what was written. @throws ServiceError, BodyRefusal */
export async function askRows(
  ctx: Context,
  { method, path, query = {}, body, maxAffected, idempotencyKey }: RowsRequest,
) {
  const { entry, params } = rowPaths.match(method, path);
  const rows = rowPathOf(entry, method, params);
  const caller = await openRows(rows, ctx);
  const bound = maxAffected === undefined ? '' : `,handling=strict,max-affected=${maxAffected}`;
  const headers = {
    'content-type': json,
    accept: json,
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(method === 'GET' ? {} : { prefer: `return=representation${bound}` }),
  };
  const named = Object.entries(query).map(([name, value]) => [parameterName(name, value), value]);
  // As a list: a name that is quoted may be there already.
  const search = new URLSearchParams(named).toString();
  const answer = await answerRows(rows, caller, { path, search, headers, body: bytesOf(body) }, ctx);
  const answered: unknown = answer.body.length === 0 ? null : parseExactJson(answer.body.toString());
  if (answer.status >= 400) throw new BodyRefusal(answer.status, answered as BodyRefusal['body']);
  return { status: answer.status, body: answered, content_range: answer.headers['content-range'] ?? null };
}
