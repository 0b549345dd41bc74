import { randomBytes } from 'node:crypto';
import { newId } from '../../core/ids.ts';
import type { ControlDatabase } from '../helpers/control-database.ts';

/** Rows of ready projects, three of each moment; without the databases behind them. @returns ids, newest first */
export async function seedProjects({ sql }: ControlDatabase, orgId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('prj'));
  const rows = await sql<{ id: string }>(
    `with made as (
       insert into projects (org_id, id, public_id, name, state, schema_slot, server, database_name, role_name, created_at)
       select $1, id, id, 'seeded ' || n, 'ready', 'p' || n, 'main', $3 || n, $3 || n,
         date_trunc('milliseconds', now()) - make_interval(secs => (cardinality($2) - n) / 3 * 0.001)
       from unnest($2::text[]) with ordinality as given (id, n) returning id, created_at
     ) select id from made order by created_at desc, id desc`,
    [orgId, ids, `seeded_${randomBytes(6).toString('hex')}_`],
  );
  return rows.map(({ id }) => id);
}
