import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** The outcome of one file of tests. */
export interface FileResult {
  /** Its path from the root of the project. */
  readonly file: string;
  /** The time of its tests and hooks. */
  readonly milliseconds: number;
  readonly passed: number;
  readonly skipped: number;
  /** Names of the tests that failed. A hook, or an error outside of tests, has an entry of its own. */
  readonly failed: readonly string[];
}

/** The variable of the environment that names the file which {@link ResultsReporter} writes. */
export const resultsVariable = 'SVC_TEST_RESULTS';

const outsideOfTests = 'an error outside of tests';

function resultOf(module: TestModule, strays: readonly SerializedError[]): FileResult {
  const tests = [...module.children.allTests()];
  const states = tests.map((test) => test.result().state);
  const failed = tests.filter((_test, at) => states[at] === 'failed').map((test) => test.fullName);
  for (const suite of module.children.allSuites())
    if (suite.errors().length > 0) failed.push(`${suite.fullName} (hooks)`);
  if (module.errors().length > 0) failed.push('the file itself');
  if (strays.some((error) => error.VITEST_TEST_PATH === module.moduleId)) failed.push(outsideOfTests);
  return {
    file: relative(process.cwd(), module.moduleId),
    milliseconds: Math.round(module.diagnostic().duration),
    passed: states.filter((state) => state === 'passed').length,
    skipped: states.filter((state) => state === 'skipped').length,
    failed,
  };
}

/** Writes the outcome of each file as JSON, for the script that started vitest. */
export default class ResultsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], strays: readonly SerializedError[]): void {
    const results = modules.map((module) => resultOf(module, strays));
    const known = new Set(modules.map((module) => module.moduleId));
    // An error of no file fails the run whatever the files say.
    const lost = strays.filter((error) => !known.has(String(error.VITEST_TEST_PATH)));
    if (lost.length > 0)
      results.push({ file: 'vitest', milliseconds: 0, passed: 0, skipped: 0, failed: [outsideOfTests] });
    writeFileSync(process.env[resultsVariable]!, JSON.stringify(results));
  }
}
