import { sendArchiveFile } from '../../../sdk/src/archive/carry-archive.ts';
import type { Cli } from '../cli.ts';
import type { Command, Flags, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { chosen } from '../files/state.ts';
import { pathOf, readInput, readText, variable } from '../input.ts';
import { atCore } from '../net/api-base.ts';
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
    'Values of secrets come from --env-file, a line KEY=value for each, from --secret-values, and for each --secret KEY from that variable of the environment; what comes later in this list wins.',
    'With --core-url, or SVC_CORE_URL, it is imported there. That gateway gets neither tokens of the environment nor the organization that is bound here.',
  ],
  positionals: [{ name: 'archive', about: 'The file, for example shop.svcar.' }],
  flags: [
    { name: 'name', type: 'string', about: inputs.name.about },
    orgFlag,
    {
      name: 'core-url',
      type: 'string',
      placeholder: 'url',
      about: 'Another gateway. Else --api-base, SVC_CORE_URL, or the gateway of other commands.',
    },
    { name: 'env-file', type: 'string', placeholder: 'file', about: 'A file with values of secrets.' },
    {
      name: 'secret',
      type: 'list',
      placeholder: 'key',
      about: 'A secret whose value is the variable of this name, or several with commas between.',
    },
    {
      name: 'secret-values',
      type: 'json',
      placeholder: 'json',
      about: 'Values by key. @file reads them from a file, - from standard input: others see a command line.',
    },
    { name: 'dry-run', type: 'boolean', about: inputs.dry_run.about },
    { name: 'require-runnable', type: 'boolean', about: inputs.require_runnable.about },
    { name: 'on-server', type: 'boolean', about: 'The archive lies in the folder of archives of the gateway.' },
  ],
  examples: [
    ['A new project', 'core projects import shop.svcar --name Shop'],
    ['What would be made', 'core projects import shop.svcar --dry-run'],
    ['With its secrets', 'core projects import shop.svcar --env-file shop.env --require-runnable'],
    ['A secret of the environment', 'core projects import shop.svcar --secret STRIPE_KEY'],
    ['On a gateway of your own', 'core projects import shop.svcar --core-url http://localhost:4000'],
  ],
  operations: ['archives.import', 'archives.planUpload', 'archives.commitUpload'],
  async run({ cli: here, positionals, flags }) {
    const name = positionals.archive!;
    const cli = await atCore(here, flags.text('core-url'));
    const values = await secretsFrom(here, flags);
    const asked = {
      org_id: cli.isElsewhere
        ? (flags.text('org') ?? (await chosen(cli, cli.apiBase!)).org_id)
        : await findOrg(cli, { '--org': flags.text('org') }),
      name: flags.text('name'),
      dry_run: flags.is('dry-run'),
      require_runnable: flags.is('require-runnable'),
      ...(values === undefined ? {} : { secret_values: values }),
    };
    const archive = flags.is('on-server')
      ? { archive_path: name }
      : { archive_sha256: await sent(cli, await pathOf(cli, name), asked.org_id) };
    return perform(cli, rows['archives.import'], { ...asked, ...archive });
  },
};

/** The values of secrets from wherever the call names them; undefined where it names none. @throws MISSING_SECRET */
async function secretsFrom(cli: Cli, flags: Flags): Promise<Record<string, unknown> | undefined> {
  const file = flags.text('env-file');
  const ofFile = file === undefined ? undefined : valuesIn(await readText(cli, file));
  const given = await readInput(cli, flags.value('secret-values'), 'secret-values');
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    throw badUsage('--secret-values is an object of JSON, with a text for each key.', { field: 'secret-values' });
  const ofEnvironment = flags.list('secret')?.map((key): [string, string] => [key, variable(cli, key, 'secret')]);
  if (ofFile === undefined && given === undefined && ofEnvironment === undefined) return undefined;
  return { ...ofFile, ...given, ...(ofEnvironment && Object.fromEntries(ofEnvironment)) };
}

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
