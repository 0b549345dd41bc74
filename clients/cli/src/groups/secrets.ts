import type { Call, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { readText, variable } from '../input.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/secrets.ts';
import { askSecret, canAsk } from '../passphrase.ts';

export const group: Group = {
  name: 'secrets',
  about: [
    'svc secrets: what a project keeps from everybody’s eyes, such as keys of other services.',
    'Values are stored encrypted, and no command shows one.',
  ],
  commands: everyCommand(rows, [
    operationCommand('secrets list', rows['secrets.list'], {
      takes: [take('project')],
      columns: ['key', 'updated_at', 'created_at'],
      examples: [['What there is', 'secrets list']],
      empty: 'No secrets.',
    }),
    operationCommand('secrets set', rows['secrets.set'], {
      takes: [take('project'), take('key')],
      // What stands on a command line is seen by other users of the machine, and kept by the shell.
      flags: { value: null },
      more: [
        { name: 'file', type: 'string', placeholder: 'file', about: 'The value from a file, or - for standard input.' },
        { name: 'env', type: 'string', placeholder: 'name', about: 'The value from a variable of the environment.' },
      ],
      about: [
        'Without --file and --env the value is asked for, or read from standard input where nobody can be asked.',
      ],
      set: async (call) => ({ value: await readSecret(call) }),
      approval: ({ project }) => ({ action: 'project.secret.write', project_id: project as string }),
      examples: [
        ['It is asked for', 'secrets set STRIPE_KEY'],
        ['From the environment', 'secrets set STRIPE_KEY --env STRIPE_KEY'],
        ['From another program', 'secrets set STRIPE_KEY --file -'],
      ],
    }),
    operationCommand('secrets delete', rows['secrets.delete'], {
      takes: [take('project'), take('key')],
      examples: [['It is not needed any more', 'secrets delete STRIPE_KEY']],
    }),
  ]),
};

/** A line break at the end is the editor’s, not the value’s. */
const withoutLineEnd = (text: string) => text.replace(/\r?\n$/, '');

/** @throws BAD_USAGE, FILE_NOT_FOUND, BAD_FILE, MISSING_SECRET */
async function readSecret({ cli, flags }: Call): Promise<string> {
  const file = flags.text('file');
  const name = flags.text('env');
  if (name !== undefined) return variable(cli, name, 'env');
  if (file === undefined && canAsk(cli)) return askSecret(cli);
  return withoutLineEnd(await readText(cli, file ?? '-'));
}
