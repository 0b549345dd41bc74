import { ServiceError } from '../../core/errors.ts';
import { sqlState } from '../../db/pool.ts';
import { ProjectPoolBusyError } from '../../db/project-pools.ts';
import type { Services } from '../context.ts';
import type { ProjectTarget } from '../project-target.ts';

/** A statement on the tables of `auth`. It answers one column of JSON, and names everything with its schema. */
export interface AuthStatement {
  readonly name: string;
  readonly text: string;
}

export type AuthValue = string | number | boolean | null | Buffer | readonly string[];

/** States of a database from before it had these tables, or that does not let sign-in into it yet. */
const tooOld: ReadonlySet<string> = new Set(['42P01', '42703', '3F000', '42501']);

/** Databases that this process has brought up to date, so that none is twice. */
const upgraded = new WeakMap<Services, Set<string>>();

/**
 * Runs a statement on a project's users, sessions and what belongs to them, in a transaction of its own.
 *
 * @throws UPSTREAM_UNAVAILABLE when no connection came free
 */
export async function authRows<Row>(
  services: Services,
  { database }: Pick<ProjectTarget, 'database'>,
  { name, text }: AuthStatement,
  values: readonly AuthValue[],
): Promise<Row[]> {
  const statement = { name: `auth_${name}`, text, values: values.map(encoded) };
  const run = async () => {
    const [rows] = await services.authPools.run(database, [statement]);
    return rows!.map(([json]) => JSON.parse(json!) as Row);
  };
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProjectPoolBusyError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 1, cause: error });
    let known = upgraded.get(services);
    if (known === undefined) upgraded.set(services, (known = new Set()));
    if (!tooOld.has(sqlState(error) ?? '') || known.has(database.databaseName)) throw error;
    await services.projectDatabases.upgrade(database);
    known.add(database.databaseName);
    return run();
  }
}

/** The first row of {@link authRows}. */
export async function authRow<Row>(...question: Parameters<typeof authRows>): Promise<Row | undefined> {
  const [row] = await authRows<Row>(...question);
  return row;
}

/** As the wire of the database spells it; lists travel as JSON. */
function encoded(value: AuthValue): string | Buffer | null {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
