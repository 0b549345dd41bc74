import { readFile } from 'node:fs/promises';
import { DumpError } from '../../engines/copies/dump-schema.ts';
import { DifferentRowsError } from '../../engines/copies/load-rows.ts';
import { DamagedPartError } from '../../engines/copies/parts.ts';
import { OldServerError } from '../../engines/copies/snapshot.ts';
import { type Config, readConfig } from '../config.ts';
import { startRefusal } from '../start-refusal.ts';
import { BackupFolderError } from './backup-folder.ts';
import { OtherRootError } from './backup-installation.ts';
import { ManifestError } from './manifest.ts';
import { createReport, type Report } from './report.ts';
import { PassphraseNeededError, RestoreError } from './restore-error.ts';

const plain = [
  ManifestError,
  DamagedPartError,
  DumpError,
  DifferentRowsError,
  OtherRootError,
  RestoreError,
  BackupFolderError,
  OldServerError,
] as const;

export interface ProgramCall {
  readonly config: Config;
  readonly version: string;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** Whether nothing is missing that was asked for. */
const isWhole = (result: object): boolean =>
  !('not_pruned' in result || ('missing' in result && (result.missing as readonly unknown[]).length > 0));

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\u0000-\u001f\u007f-\u009f]+/g;

/**
 * Runs a program that works on a whole installation: it tells its steps and its result on standard output, each a line
 * of JSON, and a refusal in one sentence on standard error. It exits with 1 where it was refused, and with 2 where it did
 * its work but for what the result names as missing.
 */
export async function runProgram(name: string, run: (call: ProgramCall) => Promise<object>): Promise<void> {
  process.title = name;
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => stopping.abort(new RestoreError('It was asked to stop; run it again to go on.')));
  const write = (document: object) => process.stdout.write(`${JSON.stringify(document)}\n`);
  // The reader is gone: what is under way is finished all the same.
  process.stdout.on('error', () => undefined);
  let config: Config | undefined;
  try {
    config = readConfig(process.env);
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    const result = await run({ config, version, report: createReport(write), signal: stopping.signal });
    write({ result });
    process.exitCode = isWhole(result) ? 0 : 2;
  } catch (error) {
    const sentence = plain.some((kind) => error instanceof kind)
      ? // A tenant's words may be in it.
        (error as Error).message.replace(control, ' ')
      : (startRefusal(error, config) ?? `${error instanceof Error ? error.stack : error}`);
    if (error instanceof PassphraseNeededError) write({ needs: 'passphrase' });
    process.stderr.write(`svc: ${sentence}\n`);
    process.exitCode = 1;
  }
}
