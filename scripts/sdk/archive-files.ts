import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const from = fileURLToPath(new URL('../../engines/archives/portable/', import.meta.url));
const to = 'clients/sdk/src/archive/portable';

/**
 * The reader of archives, as the SDK has it: the same files as the gateway's, word by word. Clients import nothing of the
 * gateway, and a check of one's own would sooner or later find something else than the gateway does.
 */
export async function archiveFiles(): Promise<Readonly<Record<string, () => string>>> {
  const names = (await readdir(from)).filter((name) => name.endsWith('.ts')).sort();
  const files = await Promise.all(
    names.map(async (name) => [`${to}/${name}`, await readFile(join(from, name), 'utf8')] as const),
  );
  return Object.fromEntries(
    files.map(([path, text]) => [
      path,
      () => `// Printed by npm run generate from engines/archives/portable.\n${text}`,
    ]),
  );
}
