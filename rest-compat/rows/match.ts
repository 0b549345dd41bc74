import { invalidField, ServiceError } from '../../core/errors.ts';
import type { RowMethod, RowRequest } from '../../engines/rows/request/row-request.ts';
import type { RowDoor } from '../../resolvers/rows/open-door.ts';
import { allowHeader } from '../path-table.ts';

/** A path to rows. */
export interface RowPath {
  readonly door: RowDoor;
  readonly target: RowRequest['target'];
  readonly method: RowMethod;
  /** What stands before a table's name. */
  readonly prefix: string;
  /** The pattern of the path, for metrics. */
  readonly pattern: string;
}

const prefixes = { '/rest/v1': 'public', '/admin/v1/rest': 'admin' } as const satisfies Record<string, RowDoor>;
/** Those that functions are not called by are refused in the dialect. */
const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies RowMethod[];
const allowed = allowHeader(methods);

const pathPattern = /^(\/rest\/v1|\/admin\/v1\/rest)\/(rpc\/)?([^/]+)\/?$/;

export const isRowPath = (path: string): boolean => pathPattern.test(path);

/**
 * The rows that a path means; undefined when it is a path to something else.
 *
 * @throws METHOD_NOT_ALLOWED, or VALIDATION_FAILED for a name that cannot be decoded
 */
export function matchRowPath(method: string, path: string): RowPath | undefined {
  const [, prefix, rpc, encoded] = pathPattern.exec(path) ?? [];
  if (prefix === undefined || encoded === undefined) return undefined;
  const kind = rpc === undefined ? 'table' : 'function';
  if (!allowed.includes(method))
    throw new ServiceError('METHOD_NOT_ALLOWED', { allow: allowed, details: { method, allow: allowed } });
  return {
    door: prefixes[prefix as keyof typeof prefixes],
    target: { kind, name: decoded(encoded) },
    method: method as RowMethod,
    prefix,
    pattern: `${prefix}/${kind === 'table' ? ':table' : 'rpc/:function'}`,
  };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw invalidField('path', 'has a broken percent escape');
  }
}
