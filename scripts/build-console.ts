/**
 * Builds the browser console into clients/console/dist, when what it is made of has changed since:
 * `npm start` does so first. With `--always` it is built anyway.
 */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../clients/console/', import.meta.url));
const dist = join(folder, 'dist');
const stampName = '.made-of';

/** A hash of all that goes into the build: its sources, and which versions of packages there are. */
export async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256');
  const files = globSync(['src/**/*', 'public/*', 'index.html', '*.ts', '*.json'], { cwd: folder });
  // Uploads are those of the SDK.
  const sdk = globSync('../sdk/src/**/*.ts', { cwd: folder }).sort();
  for (const file of [...files.filter((name) => /\.\w+$/.test(name)).sort(), ...sdk, '../../package.json'])
    hash.update(`${file}\n`).update(await readFile(join(folder, file)));
  return hash.digest('hex');
}

/** @returns whether anything had to be built */
export async function buildConsole({ always = false } = {}): Promise<boolean> {
  const hash = await sourcesHash();
  if (!always && (await readFile(join(dist, stampName), 'utf8').catch(() => '')) === hash) return false;
  // Loaded only when it is needed: a start that has nothing to build should not wait for it.
  const { build } = await import('vite');
  // Beside the one that may be served now, and whole before it takes its place.
  const made = join(folder, `.building-${process.pid}`);
  // Who builds it is no matter: a test runner's word would make it the one for developers, slow and twice the size.
  const asked = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build({ configFile: join(folder, 'vite.config.ts'), mode: 'production', build: { outDir: made } });
    await writeFile(join(made, stampName), hash);
    await takePlace(made);
  } finally {
    if (asked === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = asked;
    await rm(made, { recursive: true, force: true });
  }
  return true;
}

/** Puts a build where it is served from. Another process that has built the same at the same time may be first. */
async function takePlace(made: string): Promise<void> {
  const old = `${made}-old`;
  await rename(dist, old).catch(() => undefined);
  await rename(made, dist).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  await rm(old, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const always = process.argv.includes('--always');
  const began = performance.now();
  try {
    if (await buildConsole({ always }))
      process.stdout.write(`The console was built in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
  } catch (error) {
    // A gateway without its console is better than none: where only what runs is installed, or nothing may be written.
    process.stderr.write(`The console could not be built: ${(error as Error).message}\n`);
    process.exitCode = always ? 1 : 0;
  }
}
