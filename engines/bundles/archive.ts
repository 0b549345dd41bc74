import { rubricText } from '../site-audit/rubric/rubric-text.ts';
import {
  type BundleFile,
  type ManifestEntry,
  manifestEntries,
  manifestFile,
  sha256Of,
  textFile,
} from './bundle-file.ts';
import { thirdPartyNotices } from './notices.ts';
import { projectFiles } from './project-files.ts';
import { zip } from './zip.ts';

export const zipType = 'application/zip' as const;

/** An archive that is the same for every buyer. */
export interface Archive {
  readonly id: 'source' | 'docs';
  readonly filename: string;
  readonly sha256: string;
  readonly files: readonly ManifestEntry[];
  readonly bytes: Uint8Array;
}

export interface ArchiveParts {
  /** Where the project is installed. */
  readonly root: string;
  readonly version: string;
  /** Files that no folder has: what the gateway says of itself while it runs. They go into both archives. */
  readonly made: readonly BundleFile[];
}

/** What an operator and a reader of the interface need. */
const isDocument = ({ path }: BundleFile): boolean =>
  path.startsWith('docs/') || ['CHANGELOG.md', 'LICENSE', 'README.md', 'schema/schema.graphql'].includes(path);

/** The archives of the turnkey sale, from the project's files as they are installed. Contract 00, section 5.3. */
export async function buildArchives({ root, version, made }: ArchiveParts): Promise<Archive[]> {
  const own = await projectFiles(root);
  const both = [...made, textFile('rubric.md', rubricText())];
  return [
    archive('source', version, [...own, ...both, await thirdPartyNotices(root)]),
    archive('docs', version, [...own.filter(isDocument), ...both]),
  ];
}

function archive(id: Archive['id'], version: string, files: readonly BundleFile[]): Archive {
  const all = [...files, manifestFile(files)];
  const bytes = zip(all);
  return {
    id,
    filename: `audit-gateway-${id}-${version}.zip`,
    sha256: sha256Of(bytes),
    files: manifestEntries(all),
    bytes,
  };
}
