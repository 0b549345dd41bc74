import { ServiceError } from '../../../core/errors.ts';
import type { SQL } from '../../../db/drizzle.ts';
import { ProjectPoolBusyError } from '../../../db/project-pools.ts';
import { ProjectUnreachableError } from '../../../db/project-session.ts';
import { type Computed, type Parameters, type ParametersOf, statement, type TypedStatement } from '../../../db/sql.ts';
import type { Bound } from '../../../db/statement.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** A row of a statement on the tables of `auth`: one column of JSON. */
export interface AuthAnswer<Answer> {
  readonly answer: Answer;
}

/** A statement on the tables of `auth`, with its values. */
export type AuthQuestion<Answer> = Bound<AuthAnswer<Answer>>;

/** What the rows of an {@link AuthQuestion} hold. */
type AnswerOf<Question> = Question extends Bound<AuthAnswer<infer Answer>> ? Answer : never;

/**
 * Declares a statement on the tables of `auth` in project databases. It answers one column of JSON.
 *
 * @param write gets the parameters by name, and the column of the answer for `select` or `returning`
 */
export const authStatement = <Answer, const Params extends Parameters = Readonly<Record<never, never>>>(
  name: string,
  { params, answer }: { readonly params?: Params; readonly answer: Computed<Answer> },
  write: (params: { readonly [Name in keyof Params]: SQL }, answer: SQL) => SQL,
): TypedStatement<ParametersOf<Params>, AuthAnswer<Answer>> =>
  statement(
    `auth_${name}`,
    { on: 'project', params: params ?? ({} as Params), row: { answer } },
    write,
  ) as TypedStatement<ParametersOf<Params>, AuthAnswer<Answer>>;

/**
 * Runs a statement on a project's users, sessions and what belongs to them, in a transaction of its own.
 *
 * @throws UPSTREAM_UNAVAILABLE when no connection came free
 */
export async function authRows<Answer>(
  services: Services,
  target: Pick<ProjectTarget, 'database'>,
  question: AuthQuestion<Answer>,
): Promise<Answer[]> {
  const [rows] = await authBatch(services, target, [question]);
  return rows;
}

/**
 * As {@link authRows}, several in one transaction: what a statement locks, those behind it find as the last change left
 * it, since each of them sees what was committed when it began.
 */
export async function authBatch<const Questions extends readonly AuthQuestion<unknown>[]>(
  services: Services,
  { database }: Pick<ProjectTarget, 'database'>,
  questions: Questions,
): Promise<{ -readonly [At in keyof Questions]: AnswerOf<Questions[At]>[] }> {
  const statements = questions.map(({ statement: { name, text }, values }) => ({
    name,
    text,
    values: values.map(encoded),
  }));
  try {
    const answers = await services.authPools.run(database, statements);
    return answers.map((rows) => rows.map(([json]) => JSON.parse(json!) as unknown)) as never;
  } catch (error) {
    if (error instanceof ProjectPoolBusyError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 1, cause: error });
    if (error instanceof ProjectUnreachableError)
      throw new ServiceError('UPSTREAM_UNAVAILABLE', { cause: error, retryAfter: 1 });
    throw error;
  }
}

/** The first row of {@link authRows}. */
export async function authRow<Answer>(
  services: Services,
  target: Pick<ProjectTarget, 'database'>,
  question: AuthQuestion<Answer>,
): Promise<Answer | undefined> {
  const [row] = await authBatch(services, target, [question]);
  return row[0];
}

/** As the wire of the database spells it. Lists are given as JSON, as a text. */
function encoded(value: unknown): string | Buffer | null {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'bigint')
    throw new TypeError('A list or an object is given to a statement as JSON.');
  return String(value);
}
