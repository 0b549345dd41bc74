import pg from 'pg';
import { expect } from 'vitest';
import type { Service } from '../helpers/service.ts';

/**
 * Holds a row, sends a request that has to wait for it, changes something meanwhile and lets go: what the request then
 * answers was decided after the change, however early it was sent.
 */
export async function holdUp<Answer>(
  { control }: Pick<Service, 'control'>,
  { hold, send, meanwhile }: { hold: string; send: () => Promise<Answer>; meanwhile: string },
): Promise<Answer> {
  const blocker = new pg.Client({ connectionString: control.url });
  await blocker.connect();
  try {
    // Of a deadlock it is the request that is taken back, however late it began to wait.
    await blocker.query(`set deadlock_timeout = '1h'`);
    await blocker.query('begin');
    await blocker.query(hold);
    const answer = send();
    const waiting = () =>
      control.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
      );
    await expect.poll(async () => (await waiting()).length).toBeGreaterThanOrEqual(1);
    await blocker.query(meanwhile);
    await blocker.query('commit');
    return await answer;
  } finally {
    await blocker.end();
  }
}
