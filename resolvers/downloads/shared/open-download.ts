import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';
import { sql } from '../../../db/drizzle.ts';
import { bundles, downloads } from '../../../db/schema/products.ts';
import { insertInto, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { zipType } from '../../../engines/bundles/archive.ts';
import { sha256Of } from '../../../engines/bundles/bundle-file.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** How long an archive may be downloaded, and how often. Contract 00, section 5.4. */
const days = 30;
const times = 20;

/** Up to this many bytes an archive is part of the answer itself. */
const inlineMax = 256 * 1024;

/** An archive that was sold, as answers tell of it. */
export interface Delivery {
  readonly filename: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly downloadUrl: string;
  readonly expiresAt: Date;
  /** The archive itself where it is small; null otherwise. */
  readonly base64: string | null;
}

/** Keeps an archive, and makes the way to it that is for its buyer alone. */
export async function openDownload(
  work: Pick<Work, 'rows' | 'services' | 'request'>,
  { orderId, filename, bytes }: { readonly orderId: string; readonly filename: string; readonly bytes: Uint8Array },
): Promise<Delivery> {
  const sha256 = sha256Of(bytes);
  const token = randomBytes(32).toString('base64url');
  await work.rows(keepStatement.with({ sha256, bytes }));
  const open = openStatement.with({
    tokenHash: sha256Hex(token),
    orderId,
    sha256,
    filename,
    bytes: BigInt(bytes.length),
    bytesLeft: BigInt(bytes.length * times),
  });
  const [opened] = await work.rows(open);
  const base = work.services.settings.publicBaseUrl ?? work.request.baseUrl;
  return {
    filename,
    bytes: bytes.length,
    sha256,
    downloadUrl: `${base}/api/downloads/${token}`,
    expiresAt: opened!.expiresAt,
    base64: bytes.length <= inlineMax ? Buffer.from(bytes).toString('base64') : null,
  };
}

/** The archive as answers spell it. */
export const deliveryToWire = (delivery: Delivery) => ({
  filename: delivery.filename,
  media_type: zipType,
  bytes: delivery.bytes,
  sha256: delivery.sha256,
  download_url: delivery.downloadUrl,
  expires_at: delivery.expiresAt.toISOString(),
  ...(delivery.base64 === null ? {} : { base64: delivery.base64 }),
});

// Sold again it is kept again: housekeeping, which may be about to forget it, has to wait or to look anew.
const keepStatement = statement(
  'downloads.keep',
  { params: { sha256: bundles.sha256, bytes: typed<Uint8Array>('bytea') } },
  (given) => sql`${insertInto(bundles, given)}
    on conflict (${nameOf(bundles.sha256)}) do update ${setOf(bundles, { soldAt: sql`now()` })}`,
);

const openStatement = statement(
  'downloads.open',
  {
    params: pick(downloads, 'tokenHash', 'orderId', 'sha256', 'filename', 'bytes', 'bytesLeft'),
    row: pick(downloads, 'expiresAt'),
  },
  (given, row) =>
    sql`${insertInto(downloads, {
      ...given,
      expiresAt: sql`now() + make_interval(days => ${sql.raw(String(days))})`,
    })} returning ${row}`,
);
