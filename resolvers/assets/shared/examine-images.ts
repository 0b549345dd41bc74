import { buffer } from 'node:stream/consumers';
import type { AssetFacts, ImageFacts } from '../../../core/asset-facts.ts';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { assets } from '../../../db/schema/assets.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import { imageLimits, isDecodedType, variantSpecVersion } from '../../../engines/images/image-limits.ts';
import { ImageError } from '../../../engines/images/images.ts';
import { MissingObjectError } from '../../../engines/objects/object-store.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { holdBytes } from '../../content/shared/hold-bytes.ts';
import { storing } from '../../content/shared/storing.ts';
import { useContent } from '../../content/shared/use-content.ts';
import type { ImagesBySha256 } from './publish-assets.ts';

type Put = Pick<AssetFacts, 'key' | 'sha256' | 'size' | 'contentType' | 'exifPolicy'>;
type Scope = Pick<ProjectScope, 'org' | 'project'>;

/**
 * Looks at the images among assets that are about to be published, and has the project hold their variants: before the
 * transaction that publishes them, since it takes its time. What was looked at before is not looked at again, and what the
 * project does not hold is left to be refused there.
 *
 * @throws IMAGE_DECODE_FAILED, IMAGE_INPUT_TOO_LARGE, IMAGE_ENCODE_TIMEOUT, TOO_MANY_ENCODES_QUEUED, QUOTA_EXCEEDED,
 *   STORAGE_UNAVAILABLE
 */
export async function examineImages(ctx: Context, scope: Scope, puts: readonly Put[]): Promise<ImagesBySha256> {
  const images = puts.filter(({ contentType }) => isDecodedType(contentType));
  if (images.length === 0) return new Map();
  const { rows } = ctx.services.db;
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  // Only what the project itself holds is read: of the bytes of others, nothing is to be learned.
  const sha256s = images.map(({ sha256 }) => sha256);
  const held = await useContent(rows, owner, sha256s);
  const known = await knownImages(ctx, scope, images);
  const found = new Map(known);
  for (const put of images) {
    ctx.signal.throwIfAborted();
    const isHeld = held.get(put.sha256) === put.size;
    if (isHeld && !found.has(put.sha256)) found.set(put.sha256, await examined(ctx, scope, put));
  }
  return found;
}

/** Images that an asset of the project has already, with all their variants. */
async function knownImages({ services }: Context, scope: Scope, puts: readonly Put[]): Promise<ImagesBySha256> {
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const sha256s = puts.map(({ sha256 }) => sha256);
  const keeping = new Set(puts.filter(({ exifPolicy }) => exifPolicy === 'keep').map(({ sha256 }) => sha256));
  const rows = await services.db.rows(knownStatement.with({ ...owner, sha256s }));
  const known = rows.flatMap(({ sha256, image, exifPolicy }) =>
    image?.specVersion === variantSpecVersion && (exifPolicy === 'keep' || !keeping.has(sha256))
      ? [[sha256, image] as const]
      : [],
  );
  const variants = known.flatMap(([, image]) => image.variants);
  const held = await useContent(
    services.db.rows,
    owner,
    variants.map(({ sha256 }) => sha256),
  );
  return new Map(known.filter(([, image]) => image.variants.every(({ sha256, size }) => held.get(sha256) === size)));
}

async function examined(ctx: Context, scope: Scope, put: Put): Promise<ImageFacts> {
  const { facts, variants } = await refusing(put, async () => {
    const { bytesMax } = imageLimits;
    if (put.size > bytesMax) throw new ImageError('too_large', { bytes: put.size, bytes_max: bytesMax });
    return ctx.services.images.examine(await read(ctx, put.sha256), scope.org.id);
  });
  const kept = [];
  for (const { bytes, ...variant } of variants) kept.push({ ...variant, ...(await holdBytes(ctx, scope, bytes)) });
  return { ...facts, variants: kept };
}

const read = ({ services }: Context, sha256: string): Promise<Buffer> =>
  storing(services, async () => buffer(await services.objects.read(sha256))).catch((error: unknown) => {
    if (!(error instanceof MissingObjectError)) throw error;
    throw new ServiceError('CONTENT_MISSING', { cause: error, details: { missing: [sha256] } });
  });

const codes = {
  undecodable: 'IMAGE_DECODE_FAILED',
  too_large: 'IMAGE_INPUT_TOO_LARGE',
  too_slow: 'IMAGE_ENCODE_TIMEOUT',
  busy: 'TOO_MANY_ENCODES_QUEUED',
} as const;

async function refusing<Result>({ key, contentType }: Put, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    throw new ServiceError(codes[error.fault], {
      cause: error,
      details: { key, content_type: contentType, ...error.details },
      ...(error.fault === 'busy' ? { retryAfter: 2 } : {}),
    });
  }
}

const knownStatement = statement(
  'assets.known-images',
  {
    params: { ...pick(assets, 'orgId', 'projectId'), sha256s: typed<readonly string[]>('text[]') },
    row: pick(assets, 'sha256', 'image', 'exifPolicy'),
  },
  (given, row) => sql`select ${row} from ${assets}
    where ${assets.orgId} = ${given.orgId} and ${assets.projectId} = ${given.projectId}
      and ${assets.sha256} = any(${given.sha256s}::text[]) and ${assets.image} is not null`,
);
