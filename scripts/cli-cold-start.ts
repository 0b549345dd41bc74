/**
 * How long the command svc takes to begin, beside Node.js doing nothing: `npm run cold-start`. Build it first for the row
 * of the package.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runs = 21;
const main = (path: string) => fileURLToPath(new URL(`../clients/cli/${path}`, import.meta.url));
const programs = { package: main('dist/main.js'), source: main('src/main.ts') };
const calls = [
  ['--version'],
  ['--help'],
  ['org', 'member', 'add', '--help'],
  ['wallets', 'current'],
  ['projects', 'get'],
];

const home = mkdtempSync(join(tmpdir(), 'svc-cold-'));
const env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config') };

/** The median of some starts, in milliseconds; the first ones fill the caches. */
function median(words: readonly string[]): number {
  const taken = Array.from({ length: runs + 2 }, () => {
    const from = performance.now();
    spawnSync(process.execPath, words, { env });
    return performance.now() - from;
  });
  return taken.slice(2).sort((a, b) => a - b)[Math.floor(runs / 2)]!;
}

const nothing = median(['-e', '0']);
process.stdout.write(`${'node -e 0'.padEnd(40)} ${nothing.toFixed(0).padStart(5)} ms\n`);
for (const [name, program] of Object.entries(programs)) {
  if (!existsSync(program)) continue;
  for (const words of calls) {
    const ms = median([program, ...words]);
    const more = (ms - nothing).toFixed(0);
    process.stdout.write(
      `${`${name}: svc ${words.join(' ')}`.padEnd(40)} ${ms.toFixed(0).padStart(5)} ms, ${more} more\n`,
    );
  }
}
rmSync(home, { recursive: true });
