import { type BinariesPackage, copyBinaries, tryPrograms } from './binaries.ts';
import { EmbeddedPostgresError } from './error.ts';
import type { Place } from './place.ts';

/**
 * Where the programs are run from: the package's own folder if the server's user can run them there, else a copy beside
 * the data.
 * @param linked What `mendLibraryLinks` said of the package.
 * @throws EmbeddedPostgresError when they do not run from the copy either.
 */
export async function choosePrograms(found: BinariesPackage, linked: boolean, { home, user }: Place): Promise<string> {
  if (linked && (await tryPrograms(found.folder, user)).ok) return found.folder;
  const copy = await copyBinaries(found, home);
  const { ok, output } = await tryPrograms(copy, user);
  if (ok) return copy;
  throw new EmbeddedPostgresError(
    `The Postgres programs do not run on this machine (${output}); set DATABASE_URL to a Postgres of yours.`,
  );
}
