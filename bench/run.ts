/** `npm run bench`: ratios of one run, against a hand-written floor and against peers. See docs/performance.md. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Options, readOptions } from './options.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

let options: Options | { readonly help: string };
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exit(2);
}
if ('help' in options) {
  process.stdout.write(options.help);
  process.exit(0);
}
if (!existsSync(`${here}node_modules`)) {
  process.stderr.write('bench: installing the peers into bench/node_modules, once\n');
  // `--prefix` would run this project's own scripts with the folder's settings; the folder itself is plainer.
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: here,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}
// Only now can anything be loaded that needs the peers' packages.
const { bench } = await import('./bench.ts');
process.exit((await bench(options)) ? 0 : 1);
