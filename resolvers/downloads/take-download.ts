import { z } from 'zod';
import { hasAlready } from '../../core/entity-tags.ts';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { bundles, downloads } from '../../db/schema/products.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { type Span, spanOf, unsatisfiable } from './span.ts';

/** An archive, or what of it was asked for. */
export interface Download {
  readonly filename: string;
  /** Of the whole archive, in hexadecimal. */
  readonly sha256: string;
  /** Length of the whole archive. */
  readonly size: number;
  /** `same`: the client has it already. `none`: it asks for bytes that there are not. */
  readonly part: Span | 'whole' | 'same' | 'none';
  /** Empty for `same` and `none`, and where only the headers were asked for. */
  readonly bytes: Buffer;
}

const header = z.string().max(1_000).optional();

/** `GET /api/downloads/:token`: whoever has the token may have the archive. Contract 00, section 5.4. */
export const takeDownload = query({
  name: 'downloads.take',
  command: 'audit download',
  summary: 'Download an archive that was bought, whole or in part, by the token that came with it.',
  access: anyone(),
  input: z.object({
    token: z.string().meta({ secret: true }).describe('The token, as it stands in the download’s address.'),
    range: header.describe('Header `Range`: one part of the archive.'),
    if_range: header.describe('Header `If-Range`: the part is of use only while the archive is this one.'),
    if_none_match: header.describe('Header `If-None-Match`: the archive that the client has.'),
    head: z.boolean().default(false).describe('Only what the archive is, without its bytes.'),
  }),
  async handler({ services: { db } }, { token, range, if_range, if_none_match, head }): Promise<Download> {
    const tokenHash = sha256Hex(token);
    const [found] = await db.rows(findStatement.with({ tokenHash }));
    if (found === undefined) throw gone();
    const { filename, sha256 } = found;
    const size = Number(found.bytes);
    const tag = etagOf(sha256);
    const nothing = { filename, sha256, size, bytes: Buffer.alloc(0) };
    if (hasAlready(if_none_match, tag)) return { ...nothing, part: 'same' };
    const asked = if_range === undefined || if_range === tag ? spanOf(range, size) : undefined;
    if (asked === unsatisfiable) return { ...nothing, part: 'none' };
    const { from, to } = asked ?? { from: 0, to: size };
    const part = asked ?? 'whole';
    if (head) return { ...nothing, part };
    const [taken] = await db.rows(takeStatement.with({ tokenHash, length: to - from, first: from + 1 }));
    if (taken === undefined) throw gone();
    return { ...nothing, part, bytes: taken.bytes };
  },
  wire: z.object({ filename: z.string(), sha256: z.string(), bytes: z.int() }),
  toWire: ({ filename, sha256, size }) => ({ filename, sha256, bytes: size }),
});

export const etagOf = (sha256: string): string => `"${sha256}"`;

// Unknown, over and used up are the same to whoever asks.
const gone = () => new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such download.' });

const findStatement = statement(
  'downloads.find',
  { params: pick(downloads, 'tokenHash'), row: pick(downloads, 'filename', 'sha256', 'bytes') },
  ({ tokenHash }, row) => sql`select ${row} from ${downloads}
    where ${downloads.tokenHash} = ${tokenHash} and ${downloads.expiresAt} > now() and ${downloads.bytesLeft} > 0`,
);

// In one statement, so that twenty at once are twenty.
const takeStatement = statement(
  'downloads.take',
  {
    params: { ...pick(downloads, 'tokenHash'), length: typed<number>('bigint'), first: typed<number>('integer') },
    row: {
      bytes: computed<Buffer>('bytea', sql`substring(${bundles.bytes} from part.first for part.length)`),
    },
  },
  ({ tokenHash, length, first }, row) => sql`with taken as (
      update ${downloads} ${setOf(downloads, { bytesLeft: sql`${downloads.bytesLeft} - ${length}::bigint` })}
      where ${downloads.tokenHash} = ${tokenHash} and ${downloads.expiresAt} > now()
        and ${downloads.bytesLeft} >= ${length}::bigint
      returning ${downloads.sha256}
    )
    select ${row} from taken join ${bundles} on ${bundles.sha256} = taken.sha256,
      (select ${first}::int as first, ${length}::int as length) part`,
);
