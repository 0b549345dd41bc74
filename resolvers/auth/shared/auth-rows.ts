import { ServiceError } from '../../../core/errors.ts';
import { ProjectPoolBusyError } from '../../../db/project-pools.ts';
import { ProjectUnreachableError } from '../../../db/project-session.ts';
import type { ProjectTarget } from '../../../kernel/access/addressed-project.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** A statement on the tables of `auth`. It answers one column of JSON, and names everything with its schema. */
export interface AuthStatement {
  readonly name: string;
  readonly text: string;
}

export type AuthValue = string | number | boolean | null | Buffer | readonly string[];

/**
 * Runs a statement on a project's users, sessions and what belongs to them, in a transaction of its own.
 *
 * @throws UPSTREAM_UNAVAILABLE when no connection came free
 */
export async function authRows<Row>(
  services: Services,
  target: Pick<ProjectTarget, 'database'>,
  statement: AuthStatement,
  values: readonly AuthValue[],
): Promise<Row[]> {
  const [rows] = await authBatch(services, target, [[statement, values]]);
  return rows as Row[];
}

/**
 * As {@link authRows}, several in one transaction: what a statement locks, those behind it find as the last change left
 * it, since each of them sees what was committed when it began.
 */
export async function authBatch(
  services: Services,
  { database }: Pick<ProjectTarget, 'database'>,
  questions: readonly (readonly [AuthStatement, readonly AuthValue[]])[],
): Promise<unknown[][]> {
  const statements = questions.map(([{ name, text }, values]) => ({
    name: `auth_${name}`,
    text,
    values: values.map(encoded),
  }));
  try {
    const answers = await services.authPools.run(database, statements);
    return answers.map((rows) => rows.map(([json]) => JSON.parse(json!) as unknown));
  } catch (error) {
    if (error instanceof ProjectPoolBusyError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 1, cause: error });
    if (error instanceof ProjectUnreachableError) throw new ServiceError('UPSTREAM_UNAVAILABLE', { cause: error });
    throw error;
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
