import type { IncomingHttpHeaders } from 'node:http';
import { invalidField } from '../../core/errors.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { holdBytes } from '../content/shared/hold-bytes.ts';
import type { ShownAsset } from './asset.ts';
import { putAsset } from './put-asset.ts';

/** Headers of an asset that is sent as it is, by the inputs that they are. Contract 03, section 4.3. */
const named = {
  key: 'x-svc-asset-key',
  visibility: 'x-svc-asset-visibility',
  exif_policy: 'x-svc-asset-exif-policy',
} as const;

/** An asset whose bytes are the body of a request: admitted before the body is read. */
export const putUploaded = {
  /** @throws as {@link putAsset} refuses a caller */
  admit: async (ctx: Context): Promise<ProjectScope> =>
    putAsset.access.authorise(ctx, await ctx.caller(), { key: '' } as never),

  /** @throws as {@link putAsset} */
  async run(
    ctx: Context,
    scope: ProjectScope,
    { body, headers }: { readonly body: Buffer; readonly headers: IncomingHttpHeaders },
  ): Promise<ShownAsset> {
    const given = (name: string) => {
      const value = headers[name];
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    const metadata = given('x-svc-asset-metadata');
    const input = {
      project: scope.project.id,
      ...Object.fromEntries(
        Object.entries(named).flatMap(([member, name]) => (given(name) === undefined ? [] : [[member, given(name)]])),
      ),
      ...(given('x-svc-asset-immutable') === undefined ? {} : { immutable: flagOf(given('x-svc-asset-immutable')!) }),
      ...(given('content-type') === undefined ? {} : { content_type: given('content-type') }),
      ...(metadata === undefined ? {} : { metadata: metadataOf(metadata) }),
    };
    const { sha256, size } = await holdBytes(ctx, scope, body);
    const { asset } = await execute(putAsset, ctx, { ...input, sha256, size_bytes: size } as never);
    return asset;
  },
};

/** @throws VALIDATION_FAILED */
function flagOf(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw invalidField('x-svc-asset-immutable', 'must be true or false');
  return text === 'true';
}

/** @throws VALIDATION_FAILED */
function metadataOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
  } catch {
    throw invalidField('x-svc-asset-metadata', 'must be JSON in base64url');
  }
}
