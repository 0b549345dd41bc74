/** Everything that is checked without running the product, each once: `npm run check`. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bannedCalls } from './banned-calls.ts';
import { boundaryCrossings } from './boundaries.ts';
import { documentFaults } from './documents.ts';
import { generatedFiles } from './generated-files.ts';
import { schemaFindings } from './schema-lint.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is wrong, in lines; empty when nothing is. */
type Check = () => Promise<string>;

const command =
  (program: string, ...args: readonly string[]): Check =>
  async () => {
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
    const { error, said } = await new Promise<{ error: Error | null; said: string }>((resolve) => {
      execFile(program, args, options, (error, stdout, stderr) => resolve({ error, said: `${stdout}${stderr}` }));
    });
    return error === null ? '' : said || error.message;
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
  'types of the library of functions': command('tsc', '--noEmit', '--project', 'clients/functions'),
  'types of the console': command('tsc', '--noEmit', '--project', 'clients/console'),
  'types of the example’s page': command('tsc', '--noEmit', '--project', 'examples/notes/page'),
  'unused code': command('knip'),
  boundaries: async () => (await boundaryCrossings()).join('\n'),
  'banned calls': async () => (await bannedCalls()).join('\n'),
  documents: async () => (await documentFaults()).join('\n'),
  'schema conventions': async () => (await schemaFindings()).join('\n'),
  'generated files': generated,
  migrations,
};

/** Checks at once: most keep one processor busy. */
const most = 2;
const entries = Object.entries(checks);
const found = entries.map(() => Promise.withResolvers<string>());
let next = 0;
const work = async () => {
  for (let at = next++; at < entries.length; at = next++) {
    const outcome = entries[at]![1]();
    found[at]!.resolve(outcome);
    await outcome.catch(() => undefined);
  }
};
for (let at = 0; at < most; at++) void work();

let failed = 0;
for (const [at, [name]] of entries.entries()) {
  const problem = await found[at]!.promise;
  process.stdout.write(`${problem === '' ? 'ok  ' : 'FAIL'} ${name}\n`);
  if (problem !== '') {
    failed++;
    process.stdout.write(`${problem.trimEnd()}\n`);
  }
}
process.exit(failed === 0 ? 0 : 1);
