import pg from 'pg';
import { ServiceError } from '../../../core/errors.ts';
import { isConnectionLoss } from '../../../db/pool.ts';
import type { ProjectDatabase } from '../../../db/project-databases.ts';
import { ProjectPoolBusyError } from '../../../db/project-pools.ts';
import { ProjectUnreachableError } from '../../../db/project-session.ts';
import { ArrivingTooLargeError } from '../../../db/wire/arriving.ts';
import type { BatchStatement } from '../../../db/wire/batch.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { sqlRefusal } from '../sql-refusal.ts';

/** What says where a project's rows are. */
interface Placed {
  readonly project: Pick<ProjectScope['project'], 'state' | 'server' | 'databaseName' | 'roleName'>;
  readonly org: Pick<ProjectScope['org'], 'lifecycleState'>;
}

/** Where the rows of an admitted project are. @throws PROJECT_NOT_READY, PROJECT_NOT_FOUND */
export function databaseOf({ project, org }: Placed): ProjectDatabase {
  if (project.state === 'provisioning') throw new ServiceError('PROJECT_NOT_READY', { retryAfter: 1 });
  if (project.state !== 'ready' || org.lifecycleState === 'purged') throw new ServiceError('PROJECT_NOT_FOUND');
  const { server, databaseName, roleName } = project;
  return { server, databaseName, roleName };
}

/** The role that tenant SQL runs as and that owns what it makes. */
export const ownerRole = 'service_role';

/** The schema of a project's own tables, by which SQL names them. */
export const tenantSchema = 'public';

/** A statement that is sent once. */
export const once = (text: string, values: readonly (string | null)[] = []): BatchStatement => ({
  name: undefined,
  text,
  values,
});

/** What comes before tenant SQL: settings of its transaction alone. */
export const asOwner = (readOnly = false): BatchStatement =>
  once(
    `select set_config('role', $1, true), set_config('search_path', '${tenantSchema}', true)${
      readOnly ? ", set_config('transaction_read_only', 'on', true)" : ''
    }`,
    [ownerRole],
  );

/** Reads as the owner, with no path to search: what is named here has its schema. */
export const asOwnReader = once("select set_config('role', $1, true), set_config('search_path', '', true)", [
  ownerRole,
]);

/** What comes before reading catalogs: every name is written with its schema, and nothing of the tenant's is found. */
export const asReader = once(
  "select set_config('search_path', '', true), set_config('transaction_read_only', 'on', true)",
);

/** A connection broke under what was being done: nobody knows whether it is. */
export const connectionLost = (cause: unknown, readOnly: boolean, isKeyed = false) =>
  new ServiceError('UPSTREAM_UNAVAILABLE', {
    cause,
    ...(readOnly ? {} : { mutationState: 'unknown', safeToRetry: isKeyed }),
  });

/** More was said than may be, perhaps by what is done all the same. */
export const saidTooMuch = (cause: unknown) =>
  new ServiceError('RESULT_TOO_LARGE', {
    message: 'The project’s SQL said more than may be.',
    mutationState: 'unknown',
    safeToRetry: false,
    cause,
  });

/** A schema of which more would have to be read than is read of any. @param most in bytes */
export function schemaTooLarge(most: number): ServiceError {
  const message = `The project’s schema takes more than ${most} bytes to be told.`;
  return new ServiceError('SQL_ERROR', {
    message,
    details: { sqlstate: '54000', message, detail: null, hint: null },
  });
}

/** Refusals of the database, as the platform's own. @throws ServiceError */
export async function inProject<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProjectPoolBusyError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', {
        message: 'All connections to the project are in use.',
        retryAfter: 1,
      });
    if (error instanceof ProjectUnreachableError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { cause: error, retryAfter: 1 });
    if (error instanceof ArrivingTooLargeError) throw saidTooMuch(error);
    if (isConnectionLoss(error)) throw connectionLost(error, false);
    if (error instanceof pg.DatabaseError && error.code !== undefined) throw sqlRefusal(error);
    throw error;
  }
}
