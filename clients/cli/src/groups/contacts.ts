import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/contacts.ts';
import { orgFlag, requireOrg } from '../resolve.ts';

interface Contact {
  readonly contact_id: string;
}

const list: Command = {
  words: 'contacts list',
  summary: 'Whom the escalations of an organization page, in the order in which they are paged.',
  flags: [orgFlag],
  examples: [['Who is paged', 'contacts list']],
  operations: ['contacts.list'],
  empty: 'No escalation contacts yet. Add one: svc contacts add <email>',
  async run({ cli, flags }) {
    const org = await requireOrg(cli, { '--org': flags.text('org') });
    const { escalation_contacts } = await perform(cli, rows['contacts.list'], { org });
    return {
      contacts: (escalation_contacts as readonly Contact[]).map(({ contact_id, ...rest }) => ({
        kind: 'escalation',
        id: contact_id,
        ...rest,
      })),
    };
  },
};

const connectRow = rows['operator.connectChat'];

const connect: Command = {
  words: 'contacts connect',
  summary: connectRow.summary,
  positionals: [{ name: 'channel', optional: true, choices: ['chat'], about: 'What is connected.' }],
  flags: [{ name: 'label', type: 'string', about: connectRow.inputs.label.about }],
  examples: [['A chat', 'contacts connect chat --label team']],
  operations: ['operator.connectChat'],
  run: ({ cli, flags }) => perform(cli, connectRow, { label: flags.text('label') }),
};

export const group: Group = {
  name: 'contacts',
  about: [
    'svc contacts: whom `svc escalations raise` pages. Level 1 is paged first; whoever does not answer in time lets the page climb.',
    'Owners change the list; a person’s session wants a fresh passkey for it.',
  ],
  commands: everyCommand(rows, [
    list,
    operationCommand('contacts add', rows['contacts.add'], {
      takes: [take('email')],
      flags: { display_name: 'name' },
      examples: [
        ['First in line', 'contacts add ada@example.com'],
        ['Second', 'contacts add bob@example.com --level 2 --name Bob'],
      ],
    }),
    operationCommand('contacts rm', rows['contacts.remove'], {
      takes: [take('contact', { name: 'id' })],
      examples: [['Take somebody off', 'contacts rm 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
    connect,
  ]),
};
