import type { Database, Statement } from '../../db/pool.ts';

type Rows = Pick<Database, 'rows'>;

/** Notes when this installation served for the first time. */
export const noteLaunch = (db: Rows) => db.rows(noteStatement, []);

/** When this installation served for the first time, to the second: what was paid before was paid for something else. */
export async function launchedAt(db: Rows): Promise<Date> {
  const [row] = await db.rows<{ launched: Date }>(launchedStatement, []);
  return row!.launched;
}

const noteStatement: Statement = {
  name: 'payments.note-launch',
  text: `insert into platform_facts (key, value) values ('launched_at', to_jsonb(now())) on conflict (key) do nothing`,
};

// Blocks know whole seconds.
const launchedStatement: Statement = {
  name: 'payments.launched',
  text: `select date_trunc('second', (value #>> '{}')::timestamptz) as launched from platform_facts where key = 'launched_at'`,
};
