/** Everything that is checked without running the product, each once: `npm run check`. */
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundaryCrossings } from './boundaries.ts';
import { generatedFiles } from './generated-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is wrong, in lines; empty when nothing is. */
type Check = () => Promise<string>;

const command =
  (program: string, ...args: readonly string[]): Check =>
  async () => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? '' : `${stdout}${stderr}` || `${program} ended with ${status}`;
  };

const generated: Check = async () => {
  const stale: string[] = [];
  for (const [path, content] of Object.entries(generatedFiles)) {
    const kept = await readFile(join(root, path), 'utf8').catch(() => '');
    if (kept !== content()) stale.push(`${path} is not what the code prints; run npm run generate`);
  }
  return stale.join('\n');
};

/** Tables and migrations agree when there is nothing left to generate. */
const migrations: Check = async () => {
  const copy = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
  try {
    await cp(join(root, 'db/migrations'), copy, { recursive: true });
    const before = (await readdir(copy)).length;
    const args = ['generate', '--dialect', 'postgresql', '--schema', './db/schema/*.ts', '--out', copy];
    const failed = await command('drizzle-kit', ...args)();
    if (failed !== '') return failed;
    return (await readdir(copy)).length === before
      ? ''
      : 'db/schema has changes without a migration; run npm run generate';
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
};

const checks: Readonly<Record<string, Check>> = {
  'lint and format': command('biome', 'check', '--error-on-warnings'),
  types: command('tsc', '--noEmit'),
  // Against what the web has alone: nothing of Node.js may get in.
  'types of the SDK': command('tsc', '--noEmit', '--project', 'clients/sdk'),
  'types of the console': command('tsc', '--noEmit', '--project', 'clients/console'),
  'types of the example’s page': command('tsc', '--noEmit', '--project', 'examples/notes/page'),
  'unused code': command('knip'),
  boundaries: async () => (await boundaryCrossings()).join('\n'),
  'generated files': generated,
  migrations,
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  const problem = await check();
  process.stdout.write(`${problem === '' ? 'ok  ' : 'FAIL'} ${name}\n`);
  if (problem !== '') {
    failed++;
    process.stdout.write(`${problem.trimEnd()}\n`);
  }
}
process.exit(failed === 0 ? 0 : 1);
