import { z } from 'zod';
import type { AssetMetadata } from '../../core/asset-facts.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PlannedContent } from '../../db/schema/content.ts';
import { SpecError } from '../../engines/release/errors.ts';
import { metadata as readMetadata } from '../../engines/release/spec/assets.ts';
import { contentType, typeOfName } from '../../engines/release/spec/content.ts';
import { onNamedOrOwnProject, type ProjectScope } from '../../kernel/access/access.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { holdBytes } from '../content/shared/hold-bytes.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { AssetWire, assetKeyText, assetToWire, findAsset, ofProject, type ShownAsset, shownAsset } from './asset.ts';
import { assetActions } from './shared/actions.ts';
import { assetPlace } from './shared/asset-place.ts';
import { examineImages } from './shared/examine-images.ts';
import { publishAssets } from './shared/publish-assets.ts';

/** Largest content of a request, in bytes. Contract 03, section 4.1. */
const inlineBytesMax = 1_000_000;

interface PutAsset {
  readonly asset: ShownAsset;
  readonly outcome: 'added' | 'changed' | 'unchanged';
}

interface Given {
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
  readonly sha256?: string | undefined;
  readonly size_bytes?: number | undefined;
}

/** `POST /apply/v1/service-asset-put`, whose body is the bytes. Contract 03, section 4.3. */
export const putAsset = mutation({
  name: 'assets.put',
  tool: 'assets_put',
  command: 'assets put',
  effects: ['destructive', 'idempotent'],
  summary: 'Publish bytes under a key of a project at once: a text, base64, or content that was uploaded before.',
  access: onNamedOrOwnProject(assetActions['project:assets:write']),
  lifecycle: 'gated',
  writeApproval: {
    action: 'project.deploy',
    field: 'project_id',
    target: ({ project }, scope) => scope?.project?.id ?? project,
  },
  input: z.object({
    ...ofProject,
    key: assetKeyText,
    content: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= inlineBytesMax, `at most ${inlineBytesMax} bytes in UTF-8`)
      .optional()
      .describe('The bytes as a text in UTF-8, at most 1 MB.'),
    content_base64: z
      .base64()
      .max(Math.ceil(inlineBytesMax / 3) * 4, `at most ${inlineBytesMax} bytes`)
      .optional()
      .describe('The bytes in base64, at most 1 MB of them.'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256: 64 lower-case hexadecimal digits')
      .optional()
      .describe('SHA-256 of bytes that were uploaded before, in place of the bytes.')
      .meta({ examples: ['2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'] }),
    size_bytes: z.int().min(0).optional().describe('Their length in bytes, with `sha256`.'),
    content_type: z
      .string()
      .max(255)
      .optional()
      .describe('Media type that it is served as; that of the key’s extension unless told.'),
    visibility: z
      .enum(['public', 'private'])
      .default('public')
      .describe('`private`: served by signed addresses alone.'),
    immutable: z.boolean().default(true).describe('Whether each version has an address that lasts.'),
    metadata: jsonObject({ depth: 4 })
      .optional()
      .describe('What the project itself notes: texts, numbers, booleans and lists of texts, at most 4 KB.'),
    exif_policy: z
      .enum(['keep', 'strip'])
      .default('keep')
      .describe('Whether notes of the camera are shown: where an image was taken, for example.'),
  }),
  async prepare(ctx, input) {
    const metadata = refusing(() => readMetadata(input.metadata ?? null, 'metadata')) as AssetMetadata | null;
    const type = refusing(() => contentType(input.content_type ?? typeOfName(input.key), 'content_type'));
    const { key, visibility, immutable, exif_policy: exifPolicy } = input;
    const bytes = await contentOf(ctx, input);
    const put = { key, ...bytes, contentType: type, visibility, immutable, metadata, exifPolicy };
    return { put, images: await examineImages(ctx, ctx, [put]) };
  },
  async handler(work, { key }, { put, images }): Promise<PutAsset> {
    const { services, org, project } = work;
    await lockProjectFor(work, assetActions['project:assets:write']);
    const owner = { orgId: org.id, projectId: project.id };
    const done = await publishAssets(work.rows, owner, { put: [put], delete: [], sync: undefined }, images);
    const row = await findAsset(work.rows, owner, key);
    return {
      asset: shownAsset(row!, await assetPlace(services, { org, project }, work.rows)),
      outcome: done.added.length > 0 ? 'added' : done.changed.length > 0 ? 'changed' : 'unchanged',
    };
  },
  audit: ({ asset: { facts }, outcome }, _input, { project }) =>
    outcome === 'unchanged'
      ? undefined
      : {
          action: outcome === 'added' ? 'asset.added' : 'asset.changed',
          object: { kind: 'asset', id: facts.key },
          details: { project_id: project.id, sha256: facts.sha256, visibility: facts.visibility },
        },
  wire: AssetWire,
  toWire: ({ asset }) => assetToWire(asset),
});

/** @throws VALIDATION_FAILED unless the bytes are given in just one way */
async function contentOf(ctx: Context & ProjectScope, given: Given): Promise<PlannedContent> {
  const { content, content_base64: base64, sha256, size_bytes: size } = given;
  const ways = [content, base64, sha256].filter((one) => one !== undefined);
  if (ways.length !== 1 || (sha256 === undefined) !== (size === undefined))
    throw new ServiceError('VALIDATION_FAILED', {
      message: 'The bytes are given by one of content, content_base64, or sha256 with size_bytes.',
      details: { field: 'content' },
    });
  if (sha256 !== undefined) return { sha256, size: size! };
  return holdBytes(ctx, ctx, content === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(content));
}

/** Refusals of a member that a release specification has, too. */
function refusing<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const code = error.code === 'INVALID_SPEC' ? 'VALIDATION_FAILED' : error.code;
    throw new ServiceError(code, { message: error.message, details: { field: error.resource } });
  }
}
