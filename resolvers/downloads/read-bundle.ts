import type { Statement } from '../../db/pool.ts';
import type { Services } from '../../kernel/run/context.ts';

/** An archive that was sold, for whoever gets it in the answer itself. */
export async function readBundle({ db }: Pick<Services, 'db'>, sha256: string): Promise<Buffer> {
  const [bundle] = await db.rows<{ readonly bytes: Buffer }>(readStatement, [sha256]);
  return bundle!.bytes;
}

const readStatement: Statement = {
  name: 'downloads.read-bundle',
  text: 'select bytes from bundles where sha256 = $1',
};
