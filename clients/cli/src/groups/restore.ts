import { resolve } from 'node:path';
import type { Command, Group } from '../command.ts';
import { installationFlags, runInstallationProgram } from '../installation-program.ts';

const restore: Command = {
  words: 'restore',
  summary: 'Bring an installation back from a folder of backups.',
  about: [
    'The data folder must be empty, and so must the database of DATABASE_URL if one is set. Every part of the backup is checked before anything is made, and every row is compared before anything takes its place. One that was cut short is run again.',
    'The root secret comes from SVC_SECRET_KEY, from secret.key in the data folder, or from the backup by its passphrase.',
  ],
  positionals: [{ name: 'folder', about: 'Folder of backups.' }],
  flags: [
    ...installationFlags,
    {
      name: 'run',
      type: 'string',
      placeholder: 'id',
      about: 'The backup, as `svc backup list` shows it: the latest unless told.',
    },
    {
      name: 'leave-out',
      type: 'list',
      placeholder: 'databases',
      about: 'Databases of projects that are made empty, because the backup lacks them or they cannot be restored.',
    },
    {
      name: 'project-hours',
      type: 'integer',
      min: 1,
      about: 'Longest that the definitions and rows of one project may take: 24 unless told.',
    },
  ],
  examples: [
    ['The latest, into another folder', 'restore /mnt/backups/svc --data-dir /srv/svc'],
    ['An earlier one', 'restore /mnt/backups/svc --run 20261123T020000Z-3f9a1c'],
  ],
  run: async ({ cli, positionals, flags }) => {
    const run = flags.text('run');
    const hours = flags.number('project-hours');
    const words = [
      resolve(cli.cwd, positionals.folder!),
      ...(run === undefined ? [] : ['--run', run]),
      ...(hours === undefined ? [] : ['--project-hours', String(hours)]),
      ...(flags.list('leave-out') ?? []).flatMap((name) => ['--leave-out', name]),
    ];
    return (await runInstallationProgram(cli, 'restore', words, flags)).result;
  },
};

export const group: Group = { name: 'restore', about: [restore.summary], commands: [restore] };
