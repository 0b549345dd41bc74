import { invalidField } from '../../core/errors.ts';
import type { RowMethod, RowRequest } from '../../engines/rows/request/row-request.ts';
import type { RowApi } from '../../resolvers/rows/authenticate-rows.ts';
import type { PathEntry } from '../path-table.ts';

/** A path by which rows are reached, for each method. */
export interface RowRoute extends PathEntry {
  readonly door: RowApi;
  readonly kind: RowRequest['target']['kind'];
  /** What comes before a table's name. */
  readonly prefix: string;
}

/** What a request to a path for rows is about. */
export interface RowPath {
  readonly door: RowApi;
  readonly target: RowRequest['target'];
  readonly method: RowMethod;
  /** What comes before a table's name. */
  readonly prefix: string;
}

/** Those that functions are not called by are refused in the dialect, and OPTIONS tells what a table offers. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const satisfies RowMethod[];

const pathsBelow = (prefix: string, door: RowApi): RowRoute[] =>
  methods.flatMap((method): RowRoute[] => [
    { method, path: `${prefix}/:table`, spelling: 'raw', door, kind: 'table', prefix },
    { method, path: `${prefix}/rpc/:function`, spelling: 'raw', door, kind: 'function', prefix },
  ]);

/** Every path by which rows are reached. */
export const rowRoutes: readonly RowRoute[] = [
  ...pathsBelow('/rest/v1', 'public'),
  ...pathsBelow('/admin/v1/rest', 'admin'),
];

/** What a request means that one of these paths was found for. @throws VALIDATION_FAILED for a name that cannot be decoded */
export const rowPathOf = (
  { door, kind, prefix }: RowRoute,
  method: string,
  params: Readonly<Record<string, string>>,
): RowPath => ({ door, target: { kind, name: decoded(params[kind]!) }, method: method as RowMethod, prefix });

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw invalidField('path', 'has a broken percent escape');
  }
}
