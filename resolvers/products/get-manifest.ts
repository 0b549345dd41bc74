import { z } from 'zod';
import { type Archive, zipType } from '../../engines/bundles/archive.ts';
import type { Archives } from '../../engines/bundles/archives.ts';
import { gatewayVersion } from '../../engines/bundles/gateway-version.ts';
import { ipTransferPaths } from '../../engines/bundles/ip-transfer.ts';
import { packPaths } from '../../engines/bundles/pro-pack.ts';
import type { Signer } from '../../engines/licences/signer.ts';
import { anyone } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';

/** Kind of signed text that the list of archives is. */
const manifestType = 'package-manifest+json';

const FileWire = z.object({ path: z.string(), bytes: z.int(), sha256: z.string() });

const ArchiveWire = z.object({
  id: z.enum(['source', 'docs']),
  filename: z.string(),
  media_type: z.literal(zipType),
  bytes: z.int(),
  sha256: z.string(),
  files: z.array(FileWire),
});

const ManifestWire = z
  .object({
    ok: z.literal(true),
    version: z.string(),
    algorithm: z.literal('sha256'),
    archives: z.array(ArchiveWire),
    templates: z.array(z.object({ id: z.enum(['pro-pack', 'ip-transfer']), files: z.array(z.string()) })),
    signature: z.string().nullable(),
  })
  .meta({ id: 'Manifest' });

/** What would be delivered, as the archives themselves have it. */
export interface PackageManifest {
  readonly version: string;
  readonly archives: readonly z.output<typeof ArchiveWire>[];
  readonly templates: readonly { readonly id: 'pro-pack' | 'ip-transfer'; readonly files: readonly string[] }[];
  /** The `archives` as a compact JWS; null when the installation has no key to sign with. */
  readonly signature: string | null;
}

/** `GET /api/package-manifest`. Contract 00, section 5.5. */
export const getPackageManifest = query({
  name: 'products.getManifest',
  tool: 'get_package_manifest',
  command: 'audit manifest',
  summary: 'SHA-256 and file trees of the archives that the audit gateway sells, as they would be delivered.',
  access: anyone(),
  input: z.object({}),
  handler: ({ services: { archives, signer } }): Promise<PackageManifest> => manifestOf(archives, signer),
  wire: ManifestWire,
  toWire: ({ version, archives, templates, signature }) => ({
    ok: true as const,
    version,
    algorithm: 'sha256' as const,
    archives: [...archives],
    templates: templates.map(({ id, files }) => ({ id, files: [...files] })),
    signature,
  }),
});

/** By the archives, which are made once: what is said of them is worked out once, too. */
const known = new WeakMap<readonly Archive[], Promise<PackageManifest>>();

async function manifestOf(archives: Archives, signer: Promise<Signer> | undefined): Promise<PackageManifest> {
  const built = await archives.all();
  const manifest = known.get(built) ?? describe(built, await signer);
  known.set(built, manifest);
  return manifest;
}

async function describe(built: readonly Archive[], signer: Signer | undefined): Promise<PackageManifest> {
  const archives = built.map(({ id, filename, sha256, files, bytes }) => ({
    id,
    filename,
    media_type: zipType,
    bytes: bytes.length,
    sha256,
    files: [...files],
  }));
  const templates = [
    { id: 'pro-pack', files: packPaths },
    { id: 'ip-transfer', files: ipTransferPaths },
  ] as const;
  const signature = (await signer?.sign(manifestType, JSON.stringify(archives))) ?? null;
  return { version: gatewayVersion, archives, templates, signature };
}
