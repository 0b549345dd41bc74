import type { Rows } from '../../../db/statement.ts';
import { echo } from './echo.ts';
import type { JobType } from './job-type.ts';
import { sleep } from './sleep.ts';

/** Types of jobs that are part of the gateway. */
const builtIn: readonly JobType[] = [echo, sleep];

/** Every type of jobs that there is. */
export async function allTypes(_rows: Rows): Promise<readonly JobType[]> {
  return builtIn;
}

/** A type of jobs; undefined where nobody has registered one of that name. */
export async function findType(_rows: Rows, name: string): Promise<JobType | undefined> {
  return builtIn.find((type) => type.name === name);
}
