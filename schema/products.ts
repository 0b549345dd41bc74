import type { ManifestEntry } from '../engines/bundles/bundle-file.ts';
import { getPackageManifest, type PackageManifest } from '../resolvers/products/get-manifest.ts';
import { builder } from './builder.ts';
import { readField } from './operation-field.ts';

const PackageFileRef = builder.objectRef<ManifestEntry>('PackageFile').implement({
  description: 'A file of an archive.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where it lies in the archive.' }),
    bytes: t.exposeInt('bytes', { description: 'Its length.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of its content, in hexadecimal.' }),
  }),
});

const PackageArchiveRef = builder.objectRef<PackageManifest['archives'][number]>('PackageArchive').implement({
  description: 'An archive that is the same for every buyer.',
  fields: (t) => ({
    archive: t.exposeString('id', { description: 'Which one it is: `source` or `docs`.' }),
    filename: t.exposeString('filename', { description: 'Name under which it is delivered.' }),
    mediaType: t.exposeString('media_type', { description: 'Its media type.' }),
    bytes: t.exposeInt('bytes', { description: 'Its length.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the archive, in hexadecimal.' }),
    files: t.field({ type: [PackageFileRef], description: 'Its files, in its order.', resolve: ({ files }) => files }),
  }),
});

const PackageTemplateRef = builder.objectRef<PackageManifest['templates'][number]>('PackageTemplate').implement({
  description: 'Files that are made for each order.',
  fields: (t) => ({
    template: t.exposeString('id', { description: 'What they are: `pro-pack` or `ip-transfer`.' }),
    files: t.stringList({ description: 'Their paths.', resolve: ({ files }) => [...files] }),
  }),
});

const PackageManifestRef = builder.objectRef<PackageManifest>('PackageManifest').implement({
  description: 'What the audit gateway sells in archives, as it would be delivered.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of the gateway’s interface.' }),
    archives: t.field({
      type: [PackageArchiveRef],
      description: 'Archives that are the same for every buyer.',
      resolve: ({ archives }) => archives,
    }),
    templates: t.field({
      type: [PackageTemplateRef],
      description: 'What is made for each order.',
      resolve: ({ templates }) => templates,
    }),
    signature: t.exposeString('signature', {
      nullable: true,
      description: 'The archives as a compact JWS, as REST spells them; null when the operator has set no key up.',
    }),
  }),
});

readField('packageManifest', getPackageManifest, { type: PackageManifestRef });
