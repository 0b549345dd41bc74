import { sql } from '../../db/drizzle.ts';
import { bundles } from '../../db/schema/products.ts';
import { pick, statement } from '../../db/sql.ts';
import type { Services } from '../../kernel/run/context.ts';

/** An archive that was sold, for whoever gets it in the answer itself. */
export async function readBundle({ db }: Pick<Services, 'db'>, sha256: string): Promise<Buffer> {
  const [bundle] = await db.rows(readStatement.with({ sha256 }));
  return bundle!.bytes;
}

const readStatement = statement(
  'downloads.read-bundle',
  { params: pick(bundles, 'sha256'), row: pick(bundles, 'bytes') },
  ({ sha256 }, row) => sql`select ${row} from ${bundles} where ${bundles.sha256} = ${sha256}`,
);
