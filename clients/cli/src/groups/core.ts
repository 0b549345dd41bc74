import { sendArchiveFile } from '../../../sdk/src/archive/carry-archive.ts';
import type { Cli } from '../cli.ts';
import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { pathOf, readText } from '../input.ts';
import { connection, failed } from '../net/gateway.ts';
import { perform } from '../operation-command.ts';
import { rows } from '../operations/core.ts';
import { findOrg, orgFlag } from '../resolve.ts';

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
    orgFlag,
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
    const name = positionals.archive!;
    const file = flags.text('env-file');
    const asked = {
      org_id: await findOrg(cli, { '--org': flags.text('org') }),
      name: flags.text('name'),
      dry_run: flags.is('dry-run'),
      require_runnable: flags.is('require-runnable'),
      ...(file === undefined ? {} : { secret_values: valuesIn(await readText(cli, file)) }),
    };
    const archive = flags.is('on-server')
      ? { archive_path: name }
      : { archive_sha256: await sent(cli, await pathOf(cli, name), asked.org_id) };
    return perform(cli, rows['archives.import'], { ...asked, ...archive });
  },
};

async function sent(cli: Cli, path: string, org: string | undefined): Promise<string> {
  try {
    return await sendArchiveFile(await connection(cli), path, org);
  } catch (error) {
    throw failed(cli, error, { isChange: true });
  }
}

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
