import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { keepProject, linkFlag, revealFlag } from '../keep-project.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/transfer.ts';

const transfer = take('transfer', { name: 'transfer_id' });

/** Which input a recipient is, by how it looks. */
function recipientOf(to: string): Readonly<Record<string, string>> {
  if (to.includes('@')) return { to_email: to };
  return /^0x/i.test(to) ? { to_wallet: to } : { to_org_id: to };
}

const list: Command = {
  words: 'transfer list',
  summary: 'Offers of projects that are pending: to you, or of your organizations.',
  positionals: [],
  flags: [
    { name: 'incoming', type: 'boolean', about: 'Those that are made to you: the usual.' },
    { name: 'outgoing', type: 'boolean', about: 'Those that your organizations make.' },
    { name: 'limit', type: 'integer', about: rows['transfers.listIncoming'].inputs.limit.about },
    { name: 'after', type: 'string', about: rows['transfers.listIncoming'].inputs.after.about },
  ],
  examples: [
    ['What you are offered', 'transfer list'],
    ['What you offer', 'transfer list --outgoing'],
  ],
  columns: ['transfer_id', 'project_id', 'project_name_snapshot', 'recipient_kind', 'expires_at'],
  empty: 'No offers.',
  operations: ['transfers.listIncoming', 'transfers.listOutgoing'],
  run({ cli, flags }) {
    if (flags.is('incoming') && flags.is('outgoing'))
      throw badUsage('Give one of --incoming and --outgoing.', { field: 'outgoing' });
    const row = rows[flags.is('outgoing') ? 'transfers.listOutgoing' : 'transfers.listIncoming'];
    return perform(cli, row, { limit: flags.number('limit'), after: flags.text('after') });
  },
};

const keeping: Pick<NonNullable<Parameters<typeof operationCommand>[2]>, 'more' | 'shown'> = {
  more: [linkFlag, revealFlag],
  shown: (answer, { cli, flags }) =>
    keepProject(cli, answer, { reveal: flags.is('reveal'), link: flags.is('link'), name: undefined }),
};

export const group: Group = {
  name: 'transfer',
  about: [
    'svc transfer: hand a project to somebody else, with its data, its releases, its hosts and its secrets.',
    'The lease, the signers and the repository of the former owner stay behind, and so do its members. While an offer is pending, nothing is changed that is handed over.',
  ],
  commands: everyCommand(rows, [
    operationCommand('transfer init', rows['transfers.initiate'], {
      takes: [take('project')],
      flags: { to_wallet: null, to_email: null, to_org_id: null, retain_collaborator_role: null },
      more: [
        {
          name: 'to',
          type: 'string',
          required: true,
          placeholder: 'recipient',
          about: 'A wallet or a mail address, which has 72 hours to accept; or another organization of yours, at once.',
        },
        { name: 'retain-collaborator', type: 'boolean', about: 'With a mail address: ask to stay as a developer.' },
        revealFlag,
      ],
      set: ({ flags }) => ({
        ...recipientOf(flags.text('to')!),
        ...(flags.is('retain-collaborator') ? { retain_collaborator_role: 'developer' } : {}),
      }),
      examples: [
        ['To a wallet', 'transfer init --to 0x00000000000000000000000000000000000000a1'],
        ['To a person', 'transfer init --to ada@example.com --retain-collaborator --message "All yours"'],
      ],
      // What was handed over at once is still the caller's, under another key.
      shown: (answer, { cli, flags }) =>
        answer.service_key === undefined
          ? answer
          : keepProject(cli, answer, { reveal: flags.is('reveal'), link: false, name: undefined }),
    }),
    list,
    operationCommand('transfer preview', rows['transfers.preview'], {
      takes: [transfer],
      examples: [['What an offer is of', 'transfer preview 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
    operationCommand('transfer accept', rows['transfers.accept'], {
      takes: [transfer],
      ...keeping,
      examples: [['What your wallet is offered', 'transfer accept 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
    operationCommand('transfer claim', rows['transfers.claim'], {
      takes: [transfer],
      flags: { org_id: 'into' },
      ...keeping,
      examples: [
        [
          'What your mail address is offered',
          'transfer claim 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --accept-retained-collaborator',
        ],
      ],
    }),
    operationCommand('transfer cancel', rows['transfers.cancel'], {
      takes: [transfer],
      examples: [['Take an offer back, or decline it', 'transfer cancel 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
  ]),
};
