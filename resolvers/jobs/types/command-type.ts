import { join } from 'node:path';
import { lookup } from 'mime-types';
import { z } from 'zod';
import type { CommandOutcome } from '../../../engines/sandbox/command-runner.ts';
import { CommandFilesError } from '../../../engines/sandbox/left-files.ts';
import { assetOfJob } from './asset-of-job.ts';
import {
  JobFailure,
  type JobType,
  keepOfFailed,
  plainFilename,
  type ReadInput,
  type RunningJob,
  readBy,
} from './job-type.ts';
import { factsOfRegistered, type RegisteredType, schemaOf } from './registered-type.ts';

/** A type whose work a command does, in a box with a root file system of the operator's. */
export type CommandType = RegisteredType & { readonly command: readonly string[]; readonly root: string };

/** Assets that a command is given, together, in bytes. */
const assetBytesMax = 256 * 1024 * 1024;

/** Files of the project that a command finds in `/in`, by the names that it finds them under. */
const withAssets = z.looseObject({
  assets: z
    .record(z.string().regex(plainFilename, 'must be the name of a file'), z.string().min(1).max(1_024))
    .refine((given) => Object.keys(given).length <= 20, 'are at most 20')
    .optional(),
});

export const commandType = (row: CommandType): JobType => ({
  ...factsOfRegistered(row),
  kind: 'command',
  read: readInput(row),
  run: (job, input) => runCommand(row, job, input),
});

const readInput =
  ({ inputSchema }: RegisteredType) =>
  (input: Readonly<Record<string, unknown>>): ReadInput => {
    const named = readBy(withAssets)(input);
    return 'field' in named ? named : readBy(schemaOf(inputSchema))(input);
  };

async function runCommand(
  { command, root, memoryMb, name }: CommandType,
  job: RunningJob,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { commands, settings } = job.ctx.services;
  if (settings.jobRoots === undefined) throw new Error('This node has no root file systems for jobs (SVC_JOB_ROOTS).');
  let last = '';
  const order = {
    command,
    environment: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/tmp',
      LANG: 'C.UTF-8',
      JOB_ID: job.id,
      JOB_TYPE: name,
      JOB_PROJECT_ID: job.target.projectId,
      JOB_ATTEMPT: String(job.attempt),
      JOB_MAX_SECONDS: String(Math.ceil(job.mostMs / 1_000)),
    },
    root: join(settings.jobRoots, root),
    input: Buffer.from(JSON.stringify(input)),
    files: await assetsOf(job, input),
    memoryMb,
    signal: job.signal,
    printed: (text: string, stream: 'stdout' | 'stderr') => {
      if (stream === 'stderr' && text !== '') last = text;
      job.log(text, stream);
    },
  };
  try {
    await commands.run(order, async (outcome) => {
      const files = outcome.files.filter((file) => plainFilename.test(file.name)).map(madeOf);
      if (outcome.error !== undefined) throw new Error(`The command of jobs of the type ${name} cannot be started.`);
      if (outcome.code === 0) {
        for (const file of files) await job.keep(file);
        return;
      }
      await keepOfFailed(job, files);
      throw new JobFailure('JOB_COMMAND_FAILED', `The command ${wordsOf(outcome)}. ${last}`.trim());
    });
  } catch (error) {
    if (error instanceof CommandFilesError) throw new JobFailure('JOB_OUTPUT_TOO_LARGE', error.message);
    throw error;
  }
}

function wordsOf({ code, signal }: CommandOutcome): string {
  if (signal !== null) return `ended with ${signal}`;
  return code === null ? 'ended whatever ran in its box' : `ended with exit code ${code}`;
}

/** The files that an input names. @throws JobFailure */
async function assetsOf(job: RunningJob, input: Readonly<Record<string, unknown>>) {
  const { assets = {} } = withAssets.parse(input);
  const found = await Promise.all(
    Object.entries(assets).map(async ([name, key]) => ({ name, ...(await assetOfJob(job, key)) })),
  );
  if (found.reduce((sum, { size }) => sum + size, 0) > assetBytesMax)
    throw new JobFailure('JOB_INPUT_TOO_LARGE', 'The assets have more than 256 MiB together.');
  return found;
}

const madeOf = ({ name, ...bytes }: CommandOutcome['files'][number]) => ({
  filename: name,
  contentType: lookup(name) || 'application/octet-stream',
  bytes,
});
