import type { AssetRef, VariantRef } from '../engines/assets/asset-ref.ts';
import { assetRef } from '../engines/assets/asset-ref.ts';
import type { ShownAsset } from '../resolvers/assets/asset.ts';
import { deleteAsset } from '../resolvers/assets/delete-asset.ts';
import { type AssetDiagnosis, diagnoseAssetUrl } from '../resolvers/assets/diagnose-url.ts';
import { getAsset } from '../resolvers/assets/get-asset.ts';
import { listAssets } from '../resolvers/assets/list-assets.ts';
import { type AssetFolder, listAssetFolders } from '../resolvers/assets/list-folders.ts';
import { putAsset } from '../resolvers/assets/put-asset.ts';
import { signAsset } from '../resolvers/assets/sign-asset.ts';
import { waitFresh } from '../resolvers/assets/wait-fresh.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, type PageArgs } from './connection.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const AssetVisibilityEnum = builder.enumType('AssetVisibility', {
  description: 'Who is served an asset.',
  values: {
    PUBLIC: { value: 'public', description: 'Whoever has its address.' },
    PRIVATE: { value: 'private', description: 'Whoever has a signed address.' },
  } as const,
});

const ExifPolicyEnum = builder.enumType('ExifPolicy', {
  description: 'What becomes of the notes that a camera left in an image.',
  values: {
    KEEP: { value: 'keep', description: 'They are shown.' },
    STRIP: { value: 'strip', description: 'They are not.' },
  } as const,
});

/** What the documented answers say of an asset. */
const shown = ({ place, facts }: ShownAsset): AssetRef => assetRef(place, facts);

interface NamedVariant extends VariantRef {
  readonly name: string;
}

const AssetVariantRef = builder.objectRef<NamedVariant>('AssetVariant').implement({
  description: 'An image that was made of another one.',
  fields: (t) => ({
    name: t.exposeString('name', { description: '`thumb`, `medium`, `large` or `display_jpeg`.' }),
    url: t.exposeString('url', { description: 'Where it is served, for good.' }),
    cdnUrl: t.exposeString('cdn_url', { description: 'The same at the host that the project has from the start.' }),
    widthPx: t.exposeInt('width_px', { description: 'Its width.' }),
    heightPx: t.exposeInt('height_px', { description: 'Its height.' }),
    format: t.exposeString('format', { description: '`webp` or `jpeg`.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of its bytes.' }),
  }),
});

const variantsOf = ({ variants }: AssetRef): readonly NamedVariant[] | null =>
  variants === undefined ? null : Object.entries(variants).map(([name, one]) => ({ name, ...one }));

const AssetRefType = builder.objectRef<ShownAsset>('Asset').implement({
  description: 'Bytes of a project under a key.',
  fields: (t) => ({
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    key: t.string({ description: 'The key, for example `images/logo.png`.', resolve: ({ facts }) => facts.key }),
    sha256: t.string({ description: 'SHA-256 of the bytes.', resolve: ({ facts }) => facts.sha256 }),
    sizeBytes: t.float({ description: 'Their length.', resolve: ({ facts }) => facts.size }),
    contentType: t.string({
      nullable: true,
      description: 'Media type that they are served as.',
      resolve: ({ facts }) => facts.contentType,
    }),
    visibility: t.field({
      type: AssetVisibilityEnum,
      description: 'Who is served.',
      resolve: ({ facts }) => facts.visibility,
    }),
    immutable: t.boolean({
      description: 'Whether each version has an address that lasts.',
      resolve: ({ facts }) => facts.immutable,
    }),
    url: t.string({ nullable: true, description: 'Where it is served.', resolve: (one) => shown(one).url }),
    cdnUrl: t.string({
      nullable: true,
      description: 'The same at the host that the project has from the start.',
      resolve: (one) => shown(one).cdn_url,
    }),
    immutableUrl: t.string({
      nullable: true,
      description: 'Where this very version is served, for good.',
      resolve: (one) => shown(one).immutable_url,
    }),
    cdnImmutableUrl: t.string({
      nullable: true,
      description: 'The same at the host that the project has from the start.',
      resolve: (one) => shown(one).cdn_immutable_url,
    }),
    sri: t.string({
      nullable: true,
      description: 'What `integrity` of a page’s element says of it.',
      resolve: (one) => shown(one).sri,
    }),
    etag: t.string({ description: 'Entity tag that it is served with.', resolve: (one) => shown(one).etag }),
    contentDigest: t.string({
      description: '`Content-Digest` that it is served with.',
      resolve: (one) => shown(one).content_digest,
    }),
    metadata: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What the project itself notes.',
      resolve: ({ facts }) => facts.metadata as Record<string, unknown> | null,
    }),
    imageFormat: t.string({
      nullable: true,
      description: 'The format of an image.',
      resolve: (one) => shown(one).image_format,
    }),
    imageInfo: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What is known of an image.',
      resolve: (one) => shown(one).image_info,
    }),
    imageExif: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Notes of the camera.',
      resolve: (one) => shown(one).image_exif,
    }),
    imageExifPolicy: t.string({
      nullable: true,
      description: 'What becomes of these notes.',
      resolve: (one) => shown(one).image_exif_policy,
    }),
    widthPx: t.int({
      nullable: true,
      description: 'Width of an image.',
      resolve: (one) => shown(one).width_px ?? null,
    }),
    heightPx: t.int({
      nullable: true,
      description: 'Height of an image.',
      resolve: (one) => shown(one).height_px ?? null,
    }),
    blurhash: t.string({
      nullable: true,
      description: 'A tiny picture of an image, as BlurHash.',
      resolve: (one) => shown(one).blurhash ?? null,
    }),
    blurhashDataUrl: t.string({
      nullable: true,
      description: 'A tiny picture of an image, as a `data:` URL.',
      resolve: (one) => shown(one).blurhash_data_url ?? null,
    }),
    displayUrl: t.string({
      nullable: true,
      description: 'Where an image is served in a format that browsers show.',
      resolve: (one) => shown(one).display_url ?? null,
    }),
    displayImmutableUrl: t.string({
      nullable: true,
      description: 'The same of this very version, for good.',
      resolve: (one) => shown(one).display_immutable_url ?? null,
    }),
    variantSpecVersion: t.int({
      nullable: true,
      description: 'Rises when variants are made otherwise.',
      resolve: (one) => shown(one).variant_spec_version ?? null,
    }),
    variants: t.field({
      type: [AssetVariantRef],
      nullable: true,
      description: 'Smaller images that were made of it; none of a private asset.',
      resolve: (one) => variantsOf(shown(one)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was first used.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const AssetConnection = builder.connectionObject({ type: AssetRefType, name: 'AssetConnection' });

/** The page, whose documented word for “after” is `cursor`. */
function cursorWindowOf(args: PageArgs) {
  const { after, ...window } = listWindowOf(args) as { readonly after?: string };
  return after === undefined ? window : { ...window, cursor: after };
}

/** Inputs of a list that its project and the page take the place of. */
const placed = ['project', 'limit', 'cursor', 'before', 'from_end'] as const;
const listInputs = inputsOf(listAssets, { omit: placed });

builder.objectField(ProjectRef, 'assets', (t) =>
  t.field({
    type: AssetConnection,
    nullable: true,
    ...fieldOf(listAssets),
    args: { ...pageArgs, ...listInputs.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(
        await run(listAssets, ctx, { project: id, ...listInputs.read(args), ...cursorWindowOf(args) }),
        args,
      ),
  }),
);

const AssetFolderRef = builder.objectRef<AssetFolder>('AssetFolder').implement({
  description: 'A folder of assets: what their keys have before one of their slashes.',
  fields: (t) => ({
    prefix: t.exposeString('prefix', { description: 'With its slash, for example `images/icons/`.' }),
    name: t.exposeString('name', { description: 'Its own part alone, `icons`.' }),
  }),
});

const AssetFolderConnection = builder.connectionObject({ type: AssetFolderRef, name: 'AssetFolderConnection' });

const folderInputs = inputsOf(listAssetFolders, { omit: placed });

builder.objectField(ProjectRef, 'assetFolders', (t) =>
  t.field({
    type: AssetFolderConnection,
    nullable: true,
    ...fieldOf(listAssetFolders),
    args: { ...pageArgs, ...folderInputs.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(
        await run(listAssetFolders, ctx, { project: id, ...folderInputs.read(args), ...cursorWindowOf(args) }),
        args,
      ),
  }),
);

readField('asset', getAsset, { type: AssetRefType });

changeField('putAsset', putAsset, {
  type: AssetRefType,
  input: 'An asset to publish.',
  argument: 'The asset.',
  types: { visibility: AssetVisibilityEnum, exif_policy: ExifPolicyEnum },
  result: ({ asset }) => asset,
});

changeField('deleteAsset', deleteAsset, {
  type: AssetRefType,
  input: 'An asset to delete.',
  argument: 'The asset.',
});

const SignedAssetRef = builder
  .objectRef<{ readonly url: string; readonly autoUrl: string; readonly expiresAt: Date; readonly seconds: number }>(
    'SignedAsset',
  )
  .implement({
    description: 'An address that opens an asset for whoever has it.',
    fields: (t) => ({
      signedUrl: t.exposeString('url', { description: 'The address.' }),
      cdnSignedUrl: t.exposeString('autoUrl', {
        description: 'The same at the host that the project has from the start.',
      }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it opens the asset.' }),
      expiresIn: t.exposeInt('seconds', { description: 'The same in seconds from now.' }),
    }),
  });

readField('signedAsset', signAsset, { type: SignedAssetRef });

const AssetDiagnosisRef = builder.objectRef<AssetDiagnosis>('AssetDiagnosis').implement({
  description: 'What an address of an asset serves, and what it should.',
  fields: (t) => ({
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    key: t.exposeString('key', { description: 'The key that the address is for.' }),
    expectedSha256: t.exposeString('expected', { nullable: true, description: 'What the project has under the key.' }),
    observedSha256: t.exposeString('observed', { nullable: true, description: 'What the address serves.' }),
    canonicalUrl: t.exposeString('canonicalUrl', { description: 'The address without its query.' }),
    pathKind: t.exposeString('kind', { description: '`blob-mutable` or `blob-immutable`.' }),
    observedAt: t.expose('observedAt', { type: 'DateTime', description: 'When it was looked at.' }),
    hint: t.string({
      description: 'What that means.',
      resolve: async (found, _args, ctx) => (await diagnoseAssetUrl.toWire(found, ctx)).hint,
    }),
  }),
});

readField('assetDiagnosis', diagnoseAssetUrl, { type: AssetDiagnosisRef });

const AssetFreshnessRef = builder
  .objectRef<{
    readonly fresh: boolean;
    readonly observed: string | null;
    readonly attempts: number;
    readonly elapsedMs: number;
  }>('AssetFreshness')
  .implement({
    description: 'Whether an address serves the bytes that were waited for.',
    fields: (t) => ({
      fresh: t.exposeBoolean('fresh', { description: 'Whether it does.' }),
      observedSha256: t.exposeString('observed', { nullable: true, description: 'What it serves.' }),
      attempts: t.exposeInt('attempts', { description: 'How often it was looked at.' }),
      elapsedMs: t.exposeInt('elapsedMs', { description: 'How long that took, in milliseconds.' }),
      vantage: t.string({ description: 'Who looked.', resolve: () => 'gateway' }),
    }),
  });

readField('assetFreshness', waitFresh, { type: AssetFreshnessRef });
