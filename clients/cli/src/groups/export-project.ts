import { resolve } from 'node:path';
import { saveArchive, waitForArchive } from '../../../sdk/src/archive/carry-archive.ts';
import type { Cli } from '../cli.ts';
import type { Call, Command } from '../command.ts';
import { afterwards, runCommand } from '../failure.ts';
import { writablePath } from '../input.ts';
import { connection, failed } from '../net/gateway.ts';
import { unsaved } from '../net/save-answer.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows as archiveRows } from '../operations/cloud.ts';
import { rows } from '../operations/projects.ts';
import { progress } from '../progress.ts';

/** Writes an archive that is ready into a file. @throws NETWORK_ERROR, BAD_FILE */
export async function writeArchive(
  cli: Cli,
  { project, archive, output }: { readonly project: string; readonly archive: string; readonly output: string },
): Promise<number> {
  try {
    const way = await connection(cli, { project });
    return await saveArchive(way, { project, archive }, resolve(cli.cwd, output));
  } catch (error) {
    throw unsaved(cli, error, output);
  }
}

const seconds = { type: 'number', min: 0.001, max: 86_400 } as const;

/** Waits for what was begun, and writes it where it is wanted. @returns the document of the command */
async function carried(
  { cli, flags }: Pick<Call, 'cli' | 'flags'>,
  { project, archive }: { readonly project: string; readonly archive: string },
): Promise<object> {
  const output = flags.text('output');
  const bar = progress(cli);
  bar.at(`Exporting ${project}`);
  try {
    const way = await connection(cli, { project });
    await waitForArchive(
      way,
      { project, archive },
      {
        pollEveryMs: (flags.number('poll-interval') ?? 1) * 1_000,
        timeoutMs: (flags.number('timeout') ?? 600) * 1_000,
        signal: cli.signal,
      },
    ).catch((error: unknown) => Promise.reject(failed(cli, error)));
    const size_bytes = output === undefined ? undefined : await writeArchive(cli, { project, archive, output });
    const ready = await perform(cli, archiveRows['archives.get'], { project, archive });
    return output === undefined ? ready : { ...ready, output, size_bytes };
  } catch (error) {
    throw afterwards(error, `The export ${archive} was begun.`, {
      details: { archive_id: archive },
      nextActions: [
        runCommand(`svc cloud archives status ${archive} --project ${project}`, 'It tells how the export stands.'),
        runCommand(
          `svc cloud archives download ${archive} --project ${project}`,
          'It writes the archive once it is ready.',
        ),
      ],
    });
  } finally {
    bar.end();
  }
}

const plain = operationCommand('projects export', rows['archives.create'], {
  takes: [take('project')],
  more: [
    { name: 'wait', type: 'boolean', about: 'Wait until the archive is ready.' },
    {
      name: 'output',
      type: 'string',
      placeholder: 'file',
      about: 'Wait, and write the archive there, for example shop.svcar.',
    },
    { name: 'poll-interval', ...seconds, about: 'How often it is looked at, in seconds: 1 unless told.' },
    { name: 'timeout', ...seconds, about: 'How long it is waited for, in seconds: 600 unless told.' },
  ],
});

/** `svc projects export`. Contract 04, section 4.2.5. */
export const exportProject: Command = {
  ...plain,
  about: [
    'Without --wait and --output it begins, and prints the archive’s id. The export goes on where a wait ends early (ARCHIVE_WAIT_TIMEOUT).',
  ],
  examples: [
    ['Into a file', 'projects export --output shop.svcar'],
    ['Begin, and go on', 'projects export prj_0kz3m'],
    ['Without users, an hour at the most', 'projects export --auth none --wait --timeout 3600'],
  ],
  operations: ['archives.create', 'archives.get', 'archives.download'],
  async run(call) {
    const { cli, flags } = call;
    const output = flags.text('output');
    // A name that cannot be written is told before anything is begun.
    if (output !== undefined) await writablePath(cli, output);
    const begun = (await plain.run(call)) as { readonly archive_id: string; readonly project_id: string };
    if (!flags.is('wait') && output === undefined) return begun;
    return carried(call, { project: begun.project_id, archive: begun.archive_id });
  },
};
