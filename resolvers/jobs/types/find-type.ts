import { sql } from '../../../db/drizzle.ts';
import { jobTypes } from '../../../db/schema/jobs.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { type CommandType, commandType } from './command-type.ts';
import { echo } from './echo.ts';
import { type FunctionType, functionType } from './function-type.ts';
import type { JobType } from './job-type.ts';
import { type RegisteredType, typeColumns } from './registered-type.ts';
import { siteAuditBulk } from './site-audit-bulk.ts';
import { sleep } from './sleep.ts';
import { tableImport } from './table-import.ts';

/** Types of jobs that are part of the gateway. */
export const builtIn: readonly JobType[] = [echo, sleep, tableImport, siteAuditBulk];

/** What a row of `job_types` is: a check of the table keeps it one of both. */
export const registeredType = (row: RegisteredType): JobType =>
  row.command === null ? functionType(row as FunctionType) : commandType(row as CommandType);

/** Every type of jobs that there is. */
export const allTypes = async (rows: Rows): Promise<readonly JobType[]> => [
  ...builtIn,
  ...(await rows(listTypesStatement.with({}))).map(registeredType),
];

/** A type of jobs; undefined where nobody has registered one of that name. */
export async function findType(rows: Rows, name: string): Promise<JobType | undefined> {
  const known = builtIn.find((type) => type.name === name);
  if (known !== undefined) return known;
  const [row] = await rows(findStatement.with({ name }));
  return row === undefined ? undefined : registeredType(row);
}

export const listTypesStatement = statement(
  'jobs.list-types',
  { row: typeColumns },
  (_none, row) => sql`select ${row} from ${jobTypes} order by ${jobTypes.name}`,
);

const findStatement = statement(
  'jobs.find-type',
  { params: pick(jobTypes, 'name'), row: typeColumns },
  ({ name }, row) => sql`select ${row} from ${jobTypes} where ${jobTypes.name} = ${name}`,
);
