import { resolve } from 'node:path';
import type { Command, Group } from '../command.ts';
import { installationFlags, runInstallationProgram } from '../installation-program.ts';

const folder = {
  name: 'folder',
  about: 'Folder of backups; it is made when it is missing. SVC_BACKUP_DIR unless told.',
  optional: true,
} as const;

/** The folder as it was given; without one the program takes that of SVC_BACKUP_DIR. */
const given = (cwd: string, path: string | undefined): string[] => (path === undefined ? [] : [resolve(cwd, path)]);

const backup: Command = {
  words: 'backup',
  summary: 'Save a whole installation into a folder, while it serves.',
  about: [
    'Saves the control database, the database of every project, stored files and secrets. A second backup into the same folder stores only what has changed; every backup in it can be restored by itself. One that was cut short is run again.',
    'Rows are not encrypted. With a passphrase of at least 12 characters the root secret is part of the backup, encrypted; without one it is not, and has to be kept elsewhere. On a terminal it is asked for, unless SVC_SECRET_KEY keeps the root secret already.',
    'It runs where the gateway runs, with the same environment. Exit code 2: databases of some projects could not be saved, or older backups could not be removed.',
  ],
  positionals: [folder],
  flags: [
    ...installationFlags,
    { name: 'keep', type: 'integer', min: 1, about: 'Backups that are kept: older ones are removed at the end.' },
  ],
  examples: [
    ['Into a folder on another disk', 'backup /mnt/backups/svc'],
    ['Every night, for two weeks', 'backup /mnt/backups/svc --keep 14 --passphrase-file /etc/svc/passphrase'],
  ],
  exits: {
    2: 'databases of some projects could not be saved: see `missing`; or older backups could not be removed: see `not_pruned`',
  },
  async run({ cli, positionals, flags, exitWith }) {
    const keep = flags.number('keep');
    const words = [...given(cli.cwd, positionals.folder), ...(keep === undefined ? [] : ['--keep', String(keep)])];
    const { result, code } = await runInstallationProgram(cli, 'backup', words, flags, { newSecrets: true });
    if (code === 2) exitWith(code);
    return result;
  },
};

const list: Command = {
  words: 'backup list',
  summary: 'Show the backups in a folder, the newest first.',
  positionals: [folder],
  flags: installationFlags,
  examples: [['What there is', 'backup list /mnt/backups/svc']],
  run: async ({ cli, positionals, flags }) => {
    const words = [...given(cli.cwd, positionals.folder), '--list'];
    return (await runInstallationProgram(cli, 'backup', words, flags)).result;
  },
};

export const group: Group = { name: 'backup', about: [backup.summary], commands: [backup, list] };
