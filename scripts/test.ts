/**
 * Runs the tests of one size; CONTRIBUTING.md says what belongs to which.
 *
 * Usage: npm test [-- <words for vitest> …]      every guarantee by its nearest test
 *        npm run test:smoke                     the console in Chromium, once through
 *        npm run test:all                       all of it, every lane too, with one table at the end
 *
 * With CI=true a failed file is tried again twice. A test that passes then is named at the end, and fails nothing.
 */
import { chromiumProgram } from './lane-programs.ts';
import { runLanes } from './tests/lanes.ts';
import { closingLine, flakyLines, type Part, report } from './tests/report.ts';
import { runTests, type TestRun } from './tests/run-tests.ts';

const args = process.argv.slice(2);
const tries = process.env.CI === 'true' ? 3 : 1;
const gate = ['gate', 'own modules'];

const projects = args.includes('--all')
  ? [...gate, 'full']
  : args.includes('--smoke')
    ? ['smoke']
    : [...gate, 'samples'];
const rest = args.filter((arg) => arg !== '--all' && arg !== '--smoke');
const run: TestRun = { projects, words: rest, tries };

if (projects.includes('smoke') && chromiumProgram() === undefined) {
  process.stdout.write('This test needs Chromium: apt-get install chromium-headless-shell, or any Chrome.\n');
  process.exit(1);
}

const began = Date.now();
const { passed, files } = await runTests(run);
if (args.includes('--all')) {
  const tests: Part = { name: 'tests', passed, files, seconds: (Date.now() - began) / 1000 };
  const parts = [tests, ...(await runLanes({ tries }))];
  process.stdout.write(report(parts));
  process.exitCode = parts.every((part) => part.passed) ? 0 : 1;
} else {
  process.stdout.write(`${[...flakyLines(files), closingLine(files)].join('\n')}\n`);
  process.exitCode = passed ? 0 : 1;
}
