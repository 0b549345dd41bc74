import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';
import type { Statement } from '../../../db/pool.ts';
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
  await work.rows(keepStatement, [sha256, bytes]);
  const values = [sha256Hex(token), orderId, sha256, filename, bytes.length, bytes.length * times, days];
  const [opened] = await work.rows<{ expiresAt: Date }>(openStatement, values);
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
const keepStatement: Statement = {
  name: 'downloads.keep',
  text: `insert into bundles (sha256, bytes) values ($1, $2) on conflict (sha256) do update set sold_at = now()`,
};

const openStatement: Statement = {
  name: 'downloads.open',
  text: `insert into downloads (token_hash, order_id, sha256, filename, bytes, bytes_left, expires_at)
    values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7)) returning expires_at as "expiresAt"`,
};
