import { resolve } from 'node:path';
import { importArchiveFile } from '../../../sdk/src/archive/carry-archive.ts';
import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { readText } from '../input.ts';
import { connection } from '../net/gateway.ts';
import { perform } from '../operation-command.ts';
import { rows } from '../operations/core.ts';

const { inputs } = rows['archives.import'];

const importProject: Command = {
  words: 'core projects import',
  summary: rows['archives.import'].summary,
  about: [
    'A file of this machine is sent to the gateway first. With --on-server it is one below the gateway’s own folder.',
    'Values of secrets come from --env-file, a line KEY=value for each.',
  ],
  positionals: [{ name: 'archive', about: 'The file, for example shop.svcar.' }],
  flags: [
    { name: 'name', type: 'string', about: inputs.name.about },
    { name: 'org', type: 'string', placeholder: 'org', about: inputs.org_id.about },
    { name: 'env-file', type: 'string', placeholder: 'file', about: 'A file with values of secrets.' },
    { name: 'dry-run', type: 'boolean', about: inputs.dry_run.about },
    { name: 'require-runnable', type: 'boolean', about: inputs.require_runnable.about },
    { name: 'on-server', type: 'boolean', about: 'The archive lies in the folder of archives of the gateway.' },
  ],
  examples: [
    ['A new project', 'core projects import shop.svcar --name Shop'],
    ['What would be made', 'core projects import shop.svcar --dry-run'],
    ['With its secrets', 'core projects import shop.svcar --env-file shop.env --require-runnable'],
  ],
  operations: ['archives.import', 'archives.planUpload', 'archives.commitUpload'],
  async run({ cli, positionals, flags }) {
    const path = positionals.archive!;
    const file = flags.text('env-file');
    const given = {
      name: flags.text('name'),
      dryRun: flags.is('dry-run'),
      requireRunnable: flags.is('require-runnable'),
      ...(file === undefined ? {} : { secretValues: valuesIn(await readText(cli, file)) }),
    };
    const orgId = flags.text('org');
    if (!flags.is('on-server'))
      return importArchiveFile(await connection(cli), resolve(cli.cwd, path), { ...given, orgId });
    return perform(cli, rows['archives.import'], {
      org_id: orgId,
      archive_path: path,
      name: given.name,
      dry_run: given.dryRun,
      require_runnable: given.requireRunnable,
      secret_values: 'secretValues' in given ? given.secretValues : undefined,
    });
  },
};

/** Values of a file of lines `KEY=value`. What is empty is not given. @throws BAD_USAGE */
function valuesIn(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  const entries = lines.map((line): [string, string] => {
    const at = line.indexOf('=');
    if (at < 1) throw badUsage('Each line of the file has to be KEY=value.', { field: 'env-file' });
    return [line.slice(0, at).trim(), line.slice(at + 1).replace(/^(["'])(.*)\1$/, '$2')];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

export const group: Group = {
  name: 'core',
  about: ['svc core projects import: a new project of an archive, on the gateway that you are with.'],
  commands: everyCommand(rows, [importProject]),
};
