import { z } from 'zod';
import type { AssetFacts } from '../../core/asset-facts.ts';
import { sql } from '../../db/drizzle.ts';
import { assets } from '../../db/schema/assets.ts';
import { pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { isAssetKey } from '../../engines/assets/asset-key.ts';
import { type AssetPlace, assetRef } from '../../engines/assets/asset-ref.ts';
import { cursor, itsProject, wholeNumber } from '../../kernel/input/fields.ts';
import type { ContentOwner } from '../content/shared/use-content.ts';

/** An asset as it is shown, and where it is served. */
export interface ShownAsset {
  readonly projectId: string;
  readonly facts: AssetFacts;
  readonly place: AssetPlace;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The project of an operation here. */
export const ofProject = {
  project: itsProject,
};

/** Where a page of a list here lies, in the documented words. A page that is read backwards is told as any other. */
export const assetPage = {
  limit: wholeNumber
    .refine((limit) => limit >= 1, 'must be at least 1')
    .default(100)
    .transform((limit) => Math.min(limit, 1_000))
    .describe('Rows per page: 100 unless told, at most 1000.'),
  cursor: cursor.optional().describe('Only rows after this cursor, of the same list in the same order.'),
  before: cursor.optional().describe('Only rows before this cursor, those nearest to it.'),
  from_end: z.boolean().default(false).describe('The last rows of the list, rather than its first.'),
};

/** What a cursor of a list here may be: longer than a sealed key of 1,024 bytes. */
export const cursorView = (view: string) => ({ prefix: '', kind: 'list', view, lengthMax: 2_048 }) as const;

export const assetKeyText = z
  .string()
  .refine(isAssetKey, 'must be 1 to 1,024 letters, digits, . _ - and /, without empty segments, . and ..')
  .describe('The key, for example `images/logo.png`.')
  .meta({ examples: ['images/logo.png'] });

/** Any text may be the key of an asset that there is not. */
export const anyKey = z.string().min(1).max(1_024).describe('The key, for example `images/logo.png`.');

export const assetColumns = pick(
  assets,
  'projectId',
  'key',
  'sha256',
  'size',
  'contentType',
  'visibility',
  'immutable',
  'metadata',
  'exifPolicy',
  'image',
  'createdAt',
  'updatedAt',
);

export function shownAsset(row: RowOf<typeof assetColumns>, place: AssetPlace): ShownAsset {
  const { projectId: project, createdAt, updatedAt, ...facts } = row;
  return { projectId: project, facts: { ...facts, size: Number(facts.size) }, place, createdAt, updatedAt };
}

/** The asset of a key; undefined where there is none. */
export async function findAsset(rows: Rows, owner: ContentOwner, key: string) {
  const [found] = await rows(findStatement.with({ ...owner, key }));
  return found;
}

const findStatement = statement(
  'assets.find',
  { params: pick(assets, 'orgId', 'projectId', 'key'), row: assetColumns },
  (given, row) => sql`select ${row} from ${assets} where ${assets.orgId} = ${given.orgId}
    and ${assets.projectId} = ${given.projectId} and ${assets.key} = ${given.key}`,
);

const nullableText = z.string().nullable();

const VariantWire = z
  .object({
    url: z.string(),
    cdn_url: z.string(),
    width_px: z.int(),
    height_px: z.int(),
    format: z.enum(['webp', 'jpeg']),
    sha256: z.string(),
  })
  .meta({ id: 'AssetVariant' });

export const imageMembersWire = {
  metadata: z.record(z.string(), z.unknown()).nullable(),
  image_format: nullableText,
  image_info: z.record(z.string(), z.unknown()).nullable(),
  image_exif: z.record(z.string(), z.unknown()).nullable(),
  image_exif_policy: z.enum(['keep', 'strip']).nullable(),
  width_px: z.int().optional(),
  height_px: z.int().optional(),
  blurhash: nullableText.optional(),
};

/** Contract 03, section 4.2. */
export const AssetWire = z
  .object({
    key: z.string(),
    sha256: z.string(),
    size_bytes: z.number(),
    content_type: z.string(),
    visibility: z.enum(['public', 'private']),
    immutable: z.boolean(),
    url: nullableText,
    cdn_url: nullableText,
    immutable_url: nullableText,
    cdn_immutable_url: nullableText,
    sri: nullableText,
    etag: z.string(),
    content_digest: z.string(),
    ...imageMembersWire,
    blurhash_data_url: nullableText.optional(),
    variant_spec_version: z.int().optional(),
    display_url: nullableText.optional(),
    display_immutable_url: nullableText.optional(),
    variants: z.record(z.string(), VariantWire).optional(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Asset' });

export function assetToWire({ facts, place, createdAt, updatedAt }: ShownAsset): z.output<typeof AssetWire> {
  const { variants, ...ref } = assetRef(place, facts);
  return {
    ...ref,
    ...(variants === undefined ? {} : { variants: { ...variants } as Record<string, z.output<typeof VariantWire>> }),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
