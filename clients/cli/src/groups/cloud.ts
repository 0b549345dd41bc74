import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/cloud.ts';
import { projectFlag, requireProject } from '../resolve.ts';
import { exportProject, writeArchive } from './export-project.ts';

const archive = { name: 'archive_id', about: rows['archives.get'].inputs.archive.about };

const download: Command = {
  words: 'cloud archives download',
  summary: 'Write an archive of a project that is ready into a file of this machine.',
  positionals: [archive],
  flags: [
    { name: 'output', type: 'string', placeholder: 'file', about: 'Where it goes: <archive_id>.svcar unless told.' },
    projectFlag,
  ],
  examples: [['Into a file', 'cloud archives download arc_01jzk3 --output shop.svcar']],
  operations: ['archives.download'],
  async run({ cli, positionals, flags }) {
    const project = await requireProject(cli, { '--project': flags.text('project') });
    const id = positionals.archive_id!;
    const output = flags.text('output') ?? `${id}.svcar`;
    const size_bytes = await writeArchive(cli, { project, archive: id, output });
    return { archive_id: id, output, size_bytes };
  },
};

export const group: Group = {
  name: 'cloud',
  about: ['svc cloud archives: archives of a project, which another gateway can import.'],
  commands: everyCommand(rows, [
    {
      ...exportProject,
      words: 'cloud archives create',
      examples: exportProject.examples.map(([about, words]) => [
        about,
        words.replace(exportProject.words, 'cloud archives create'),
      ]),
    },
    operationCommand('cloud archives list', rows['archives.list'], {
      takes: [take('project')],
      columns: ['archive_id', 'status', 'byte_count', 'completed_at', 'expires_at'],
      examples: [['What there is', 'cloud archives list']],
      empty: 'No archives. Make one with svc projects export.',
    }),
    operationCommand('cloud archives status', rows['archives.get'], {
      takes: [take('archive', { name: 'archive_id' })],
      examples: [['How one stands', 'cloud archives status arc_01jzk3']],
    }),
    download,
  ]),
};
