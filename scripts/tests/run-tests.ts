import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FileResult, resultsVariable } from './results-reporter.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const reporter = fileURLToPath(new URL('results-reporter.ts', import.meta.url));

/** Files that may be tried again: more that fail are no matter of chance. */
const triedAgainMax = 20;

/** One run of vitest. */
export interface TestRun {
  /** Projects of vitest.config.ts. */
  readonly projects: readonly string[];
  /** Further arguments for vitest: options, and parts of the paths of files. @default all files of the projects */
  readonly words?: readonly string[];
  /** Variables of the environment beside those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Runs of a failed file, the first one included. @default 1 */
  readonly tries?: number;
  /** Keeps the output until the run has ended. @default false, the output is shown as it comes */
  readonly quiet?: boolean;
}

/** The outcome of a file after all of its tries. */
export interface TriedFile extends FileResult {
  /** Tests that failed in one try and passed in another. */
  readonly flaky: readonly string[];
}

interface Outcome {
  readonly status: number;
  readonly files: readonly FileResult[];
  readonly output: string;
}

async function runVitest({ projects, words = [], env = {}, quiet = false }: TestRun): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-results-'));
  const results = join(folder, 'results.json');
  try {
    const args = [
      'run',
      ...projects.map((name) => `--project=${name}`),
      '--reporter=default',
      `--reporter=${reporter}`,
    ];
    const stdio = quiet ? 'pipe' : 'inherit';
    const child = spawn('vitest', [...args, ...words], {
      cwd: root,
      stdio: ['ignore', stdio, stdio],
      env: { ...process.env, ...env, [resultsVariable]: results },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (part) => {
        output += part;
      });
    const [status] = await once(child, 'close');
    const files = await readFile(results, 'utf8').then(JSON.parse, () => []);
    return { status: status ?? 1, files, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const failing = (files: readonly FileResult[]) => files.filter(({ failed }) => failed.length > 0);

/**
 * Runs tests with vitest. A failed file runs again by itself, in fresh fixtures; a test of it fails when it failed in each
 * try.
 *
 * @returns whether all tests passed, the files, and the output of a quiet run
 */
export async function runTests(
  run: TestRun,
): Promise<{ readonly passed: boolean; readonly files: readonly TriedFile[]; readonly output: string }> {
  const first = await runVitest(run);
  let output = first.output;
  const files = new Map<string, TriedFile>(first.files.map((one) => [one.file, { ...one, flaky: [] }]));
  // Vitest says that it failed, and no file of it did: no file was found, or the process was killed.
  if (first.status !== 0 && failing(first.files).length === 0)
    return { passed: false, files: [...files.values()], output };
  for (let tried = 1; tried < (run.tries ?? 1); tried++) {
    const again = failing([...files.values()]).map(({ file }) => file);
    if (again.length === 0 || again.length > triedAgainMax) break;
    const next = await runVitest({ ...run, words: [...again, '--maxWorkers=1'] });
    output += next.output;
    for (const result of next.files) {
      const before = files.get(result.file);
      // A part of a path may also name a file that had passed.
      if (before === undefined || before.failed.length === 0) continue;
      const failed = before.failed.filter((name) => result.failed.includes(name));
      const once = [...before.failed, ...result.failed].filter((name) => !failed.includes(name));
      files.set(result.file, { ...result, failed, flaky: [...new Set([...before.flaky, ...once])] });
    }
  }
  const all = [...files.values()];
  return { passed: all.length > 0 && failing(all).length === 0, files: all, output };
}
