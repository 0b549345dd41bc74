import { setTimeout as delay } from 'node:timers/promises';
import type { Call, Command, Flag, Flags, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { local } from '../failure.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/domains.ts';
import { projectFlag, requireProject } from '../resolve.ts';

/** Seconds between two looks, and for how long there are some. Contract 03, section 5.3. */
const pauseSeconds = 5;
const usualSeconds = 120;

const takes = [take('project'), take('domain')];

/** One of them is enough to say what is wanted of mail, and all that is not said of it is not wanted. */
const mailFlags: readonly Flag[] = [
  { name: 'send', type: 'boolean', about: 'Have mailboxes write from addresses of the domain.' },
  {
    name: 'receive',
    type: 'string',
    choices: ['auto', 'outbound_only', 'forwarding_mode', 'subdomain_mode', 'full_receive_takeover'],
    about: 'How mail to addresses of the domain comes to mailboxes.',
  },
  {
    name: 'addresses',
    type: 'list',
    placeholder: 'hello=hello-there,…',
    about: 'What stands before the @, and the slug of the mailbox that it is.',
  },
  {
    name: 'address-mode',
    type: 'string',
    choices: ['primary', 'alias', 'managed', 'none'],
    about: 'Whether mailboxes write from these addresses, or receive by them alone.',
  },
  { name: 'mail-subdomain', type: 'string', about: 'The label of the subdomain for mail: mail unless told.' },
  { name: 'create-mailboxes', type: 'boolean', about: 'Make the mailboxes that there are none of.' },
  { name: 'activate-by-hand', type: 'boolean', about: 'Leave it to svc domains activate when addresses take effect.' },
];

export const group: Group = {
  name: 'domains',
  about: [
    'svc domains: domains of your own that a project is served under.',
    'Connect one, set the records that `svc domains dns` lists where its zone is kept, and wait.',
  ],
  commands: everyCommand(rows, [
    operationCommand('domains connect', rows['domains.ensure'], {
      takes,
      flags: { desired: null },
      more: [
        {
          name: 'role',
          type: 'string',
          choices: ['primary', 'alias'],
          about: 'Whether it is the address of the project, or another name for it.',
        },
        { name: 'off', type: 'boolean', about: 'Serve nothing under it for now.' },
        ...mailFlags,
      ],
      set: ({ flags }) => {
        const role = flags.text('role');
        const email = mailOf(flags);
        return {
          desired: {
            web: { enabled: !flags.is('off'), ...(role === undefined ? {} : { role }) },
            ...(email === undefined ? {} : { email }),
          },
        };
      },
      examples: [
        ['A domain of your own', 'domains connect shop.example.com'],
        ['Another name for the same', 'domains connect www.example.com --role alias'],
        [
          'For mail alone',
          'domains connect example.com --off --send --receive auto --addresses hello=hello-there --create-mailboxes',
        ],
      ],
    }),
    operationCommand('domains list', rows['domains.list'], {
      takes: [take('project')],
      columns: ['domain', 'status', 'updated_at'],
      examples: [['Which ones there are', 'domains list']],
      empty: 'No domains.',
    }),
    operationCommand('domains status', rows['domains.get'], {
      takes,
      examples: [['How it stands', 'domains status shop.example.com']],
    }),
    {
      ...operationCommand('domains dns', rows['domains.get'], {
        takes,
        shown: (answer) => ({ dns_records: answer.dns_records }),
        columns: ['type', 'name', 'value', 'priority', 'status'],
        examples: [['The records to set', 'domains dns shop.example.com']],
        empty: 'No records.',
      }),
      summary: 'The records that the owner of a domain sets, with what was seen of them.',
    },
    operationCommand('domains check', rows['domains.check'], {
      takes,
      examples: [['The records are set', 'domains check shop.example.com']],
    }),
    waitCommand(),
    operationCommand('domains test-receive', rows['domains.testReceive'], {
      takes: [...takes, take('to')],
      shown: ({ receive_test }) => ({ receive_test }),
      examples: [['See whether mail arrives', 'domains test-receive example.com hello']],
    }),
    operationCommand('domains activate', rows['domains.activate'], {
      takes,
      examples: [['Have the addresses take effect', 'domains activate example.com']],
    }),
    operationCommand('domains disconnect', rows['domains.disconnect'], {
      takes,
      confirm: 'the project is no longer served under the domain.',
      examples: [['It is given up', 'domains disconnect shop.example.com --confirm']],
    }),
  ]),
};

/** What is wanted of mail; undefined where no flag says anything of it, so that it stays as it is. */
function mailOf(flags: Flags): object | undefined {
  if (!mailFlags.some(({ name }) => flags.value(name) !== undefined)) return undefined;
  const strategy = flags.text('receive');
  const subdomain = flags.text('mail-subdomain');
  const mode = flags.text('address-mode');
  const addresses = (flags.list('addresses') ?? []).map((text) => {
    const [local_part = '', mailbox_slug = local_part] = text.split('=');
    return { local_part, mailbox_slug, ...(flags.is('create-mailboxes') ? { create_mailbox: true } : {}) };
  });
  return {
    send: { enabled: flags.is('send') },
    receive: {
      enabled: strategy !== undefined,
      ...(strategy === undefined ? {} : { strategy }),
      ...(subdomain === undefined ? {} : { mail_subdomain: subdomain }),
    },
    mailbox_addresses: { addresses, ...(mode === undefined ? {} : { mode }) },
    activation: flags.is('activate-by-hand') ? 'manual' : 'automatic_when_ready',
  };
}

function waitCommand(): Command {
  return {
    words: 'domains wait',
    summary: 'Look at the records of a domain again and again, until it serves.',
    positionals: [
      { name: 'project_id', about: rows['domains.check'].inputs.project.about, optional: true, only: /^prj_/ },
      { name: 'domain', about: rows['domains.check'].inputs.domain.about },
    ],
    flags: [
      {
        name: 'timeout',
        type: 'integer',
        min: 1,
        max: 86_400,
        about: `How long to wait, in seconds: ${usualSeconds} unless told.`,
      },
      projectFlag,
    ],
    examples: [['The records are set, and have to spread', 'domains wait shop.example.com --timeout 600']],
    operations: ['domains.check'],
    run: waitUntilActive,
  };
}

/** @throws DOMAIN_WAIT_TIMEOUT */
async function waitUntilActive({ cli, positionals, flags }: Call): Promise<unknown> {
  const project = await requireProject(cli, {
    argument: positionals.project_id,
    '--project': flags.text('project'),
  });
  const until = performance.now() + (flags.number('timeout') ?? usualSeconds) * 1000;
  for (;;) {
    const domain = await perform(cli, rows['domains.check'], { project, domain: positionals.domain });
    if (domain.status === 'active') return domain;
    if (performance.now() + pauseSeconds * 1000 > until)
      throw local('DOMAIN_WAIT_TIMEOUT', `The domain is not active yet; its status is ${String(domain.status)}.`, {
        details: { status: domain.status, checks: domain.checks },
      });
    await delay(pauseSeconds * 1000, undefined, { signal: cli.signal });
  }
}
