/**
 * Builds the browser console into clients/console/dist, when what it is made of has changed since:
 * `npm start` does so first. With `--always` it is built anyway.
 */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../clients/console/', import.meta.url));
const stamp = join(folder, 'dist/.made-of');

/** A hash of all that goes into the build: its sources, and which versions of packages there are. */
export async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256');
  const files = globSync(['src/**/*', 'public/*', 'index.html', '*.ts', '*.json'], { cwd: folder });
  for (const file of [...files.filter((name) => /\.\w+$/.test(name)).sort(), '../../package.json'])
    hash.update(`${file}\n`).update(await readFile(join(folder, file)));
  return hash.digest('hex');
}

/** @returns whether anything had to be built */
export async function buildConsole({ always = false } = {}): Promise<boolean> {
  const hash = await sourcesHash();
  if (!always && (await readFile(stamp, 'utf8').catch(() => '')) === hash) return false;
  // Loaded only when it is needed: a start that has nothing to build should not wait for it.
  const { build } = await import('vite');
  await build({ configFile: join(folder, 'vite.config.ts'), mode: 'production' });
  await writeFile(stamp, hash);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const began = performance.now();
  if (await buildConsole({ always: process.argv.includes('--always') }))
    process.stdout.write(`The console was built in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
}
