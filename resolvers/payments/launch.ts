import { sql } from '../../db/drizzle.ts';
import { platformFacts } from '../../db/schema/platform.ts';
import { computed, namesOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';

/** Notes when this installation served for the first time. */
export const noteLaunch = ({ rows }: { readonly rows: Rows }) => rows(noteStatement.with({}));

/** When this installation served for the first time, to the second: a payment before it was for something else. */
export async function launchedAt({ rows }: { readonly rows: Rows }): Promise<Date> {
  const [row] = await rows(launchedStatement.with({}));
  return row!.launched;
}

const { key, value } = platformFacts;

const noteStatement = statement(
  'payments.note-launch',
  {},
  () => sql`insert into ${platformFacts} (${namesOf(key, value)}) values ('launched_at', to_jsonb(now()))
    on conflict do nothing`,
);

// Blocks know whole seconds.
const launchedStatement = statement(
  'payments.launched',
  {
    row: {
      launched: computed<Date>('timestamp with time zone', sql`date_trunc('second', (${value} #>> '{}')::timestamptz)`),
    },
  },
  (_, row) => sql`select ${row} from ${platformFacts} where ${key} = 'launched_at'`,
);
