import { currentRequest, environment } from './context.ts';
import { ask, asService } from './gateway.ts';
import { Query, type Row } from './rows.ts';

export interface Database {
  /** Rows of an exposed table or view. */
  from<Found = Row>(table: string): Query<Found>;
}

export interface SqlAnswer<Found = Row> {
  readonly status: string;
  readonly schema: string;
  readonly rows: readonly Found[];
  readonly row_count: number;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}

export interface AdminDatabase extends Database {
  /** Runs SQL in the database of the project. @param params values of `$1` and so on */
  sql<Found = Row>(query: string, params?: readonly unknown[]): Promise<SqlAnswer<Found>>;
}

/**
 * Rows as whoever calls the function sees them: by the access token of the request, and as anybody without one. Row security
 * holds.
 *
 * @param request whose token counts. @default the one of the call that asks
 */
export function db(request: Request | undefined = currentRequest()): Database {
  const authorization = request?.headers.get('authorization');
  const headers = {
    apikey: environment('SVC_ANON_KEY'),
    ...(authorization != null && /^Bearer /i.test(authorization) ? { authorization } : {}),
  };
  return { from: (table) => new Query({ path: `/rest/v1/${encodeURIComponent(table)}`, headers }) };
}

/** Rows past row security, with the service key, and SQL. */
export const adminDb = (): AdminDatabase => ({
  from: (table) => new Query({ path: `/admin/v1/rest/${encodeURIComponent(table)}`, headers: asService() }),
  sql: (query, params) =>
    ask({
      method: 'POST',
      path: `/projects/v1/admin/${environment('SVC_PROJECT_ID')}/sql`,
      json: { sql: query, ...(params === undefined ? {} : { params }) },
      code: 'SVC_DB_SQL_ERROR',
    }),
});
