import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import type { Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import type { AuthProject } from './auth-project.ts';

/** Has requests meet by locks that the tests hold: what runs beside what is no matter of luck. */
export function meetingOf(service: Service, { databaseName, sql }: Pick<AuthProject, 'databaseName' | 'sql'>) {
  /** Has done something that is not committed until it is told to. */
  async function begun(statement: string): Promise<() => Promise<void>> {
    const url = new URL(service.control.serverUrl);
    url.pathname = `/${databaseName}`;
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin');
    expect((await client.query(statement)).rowCount).toBeGreaterThan(0);
    return async () => void (await client.query('commit'));
  }
  return {
    begun,
    /** Holds rows until it is told to let go. */
    holding: (select: string) => begun(`${select} for update`),
    /** Until so many requests wait for a lock in the project's database, or one of them did not have to. */
    waiting: (count: number, ...requests: readonly Promise<unknown>[]) =>
      Promise.race([
        ...requests,
        until(async () =>
          expect(
            await sql(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
          ).toHaveLength(count),
        ),
      ]),
  };
}
