import type { TriedFile } from './run-tests.ts';

/** A part of a whole run, for example a lane. */
export interface Part {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly files: readonly TriedFile[];
  /** The reason why nothing of it ran. */
  readonly missing?: string;
}

const slowestShown = 15;

const sum = (files: readonly TriedFile[], count: (file: TriedFile) => number) =>
  files.reduce((total, file) => total + count(file), 0);

/** Lines `flaky: file › test`, for tests that failed once and passed when they were tried again. */
export const flakyLines = (files: readonly TriedFile[]): string[] =>
  files.flatMap(({ file, flaky }) => flaky.map((name) => `flaky: ${file} › ${name}`));

/** Counts of tests, in the closing line that readers of logs look for. */
export const closingLine = (files: readonly TriedFile[]): string =>
  `${sum(files, ({ passed }) => passed)} passed, ${sum(files, ({ failed }) => failed.length)} failed, ${sum(files, ({ skipped }) => skipped)} skipped`;

function table(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths = rows[0]!.map((_cell, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at]!) : String(cell).padStart(widths[at]!)))
      .join('  '),
  );
}

/** The table at the end of a whole run: passed, failed, retried and slowest. */
export function report(parts: readonly Part[]): string {
  const head = ['part', 'files', 'passed', 'failed', 'retried', 'skipped', 'minutes'];
  const rows = parts.map(({ name, files, seconds }) => [
    name,
    files.length,
    sum(files, ({ passed }) => passed),
    sum(files, ({ failed }) => failed.length),
    sum(files, ({ flaky }) => flaky.length),
    sum(files, ({ skipped }) => skipped),
    (seconds / 60).toFixed(1),
  ]);
  const all = parts.flatMap(({ files }) => files);
  const failed = all.flatMap(({ file, failed: names }) => names.map((name) => `FAIL ${file} › ${name}`));
  const silent = parts.filter(({ passed, files }) => !passed && files.every((file) => file.failed.length === 0));
  const slowest = all.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, slowestShown);
  return [
    '',
    ...table([head, ...rows]),
    '',
    ...failed,
    ...silent.map(({ name, missing }) => `FAIL ${name}: ${missing ?? 'vitest ended without a result'}`),
    ...flakyLines(all),
    'slowest:',
    ...slowest.map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}`),
    closingLine(all),
    '',
  ].join('\n');
}
