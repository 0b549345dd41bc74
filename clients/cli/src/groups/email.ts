import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Cli } from '../cli.ts';
import type { Call, Command, Flag, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { local } from '../failure.ts';
import { isAbsent } from '../files/json-file.ts';
import { readText } from '../input.ts';
import { follow } from '../net/follow.ts';
import { saveAnswer } from '../net/save-answer.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/email.ts';
import { projectFlag } from '../resolve.ts';
import { webhookCommands } from './email-webhooks.ts';
import { mailboxesOf, mailboxFlag, projectOf, reader } from './mailbox-of.ts';

const bodyFlags: readonly Flag[] = [
  { name: 'html', type: 'string', about: 'The mail in HTML; @file or - reads it.' },
  { name: 'text', type: 'string', about: 'The mail in plain text; @file or - reads it.' },
  { name: 'attach', type: 'list', placeholder: 'file', about: 'A file to attach; may be given five times.' },
];

/** @throws DEFAULT_MAILBOX_REQUIRED, DEFAULT_MAILBOX_INVALID */
async function sender(call: Call): Promise<string> {
  const named = call.flags.text('mailbox');
  if (named !== undefined) return named;
  const { mailboxes, mailbox_settings } = await mailboxesOf(call);
  const id = mailbox_settings.default_outbound_mailbox_id;
  if (id === null)
    throw local('DEFAULT_MAILBOX_REQUIRED', 'No mailbox is named, and the project has no default one.', {
      hint:
        mailboxes.length === 0
          ? 'svc email create <slug> makes one.'
          : 'Give --mailbox, or choose one with svc email defaults.',
    });
  if (mailboxes.find(({ mailbox_id }) => mailbox_id === id)?.can_send !== true)
    throw local('DEFAULT_MAILBOX_INVALID', 'The default mailbox cannot send.', {
      hint: `svc email info --mailbox ${id} says why.`,
    });
  return id;
}

const givenText = async (cli: Cli, text: string | undefined): Promise<string | undefined> =>
  text === '-' || text?.startsWith('@') === true ? readText(cli, text === '-' ? '-' : text.slice(1)) : text;

/** @throws FILE_NOT_FOUND, BAD_FILE */
async function attachment(cli: Cli, name: string) {
  try {
    const bytes = await readFile(resolve(cli.cwd, name));
    return { filename: basename(name), content_base64: bytes.toString('base64') };
  } catch (error) {
    if (isAbsent(error)) throw local('FILE_NOT_FOUND', `There is no file ${name}.`, { details: { path: name } });
    throw local('BAD_FILE', `${name} cannot be read.`, { details: { path: name } });
  }
}

/** What a mail is made of, from its flags. */
async function contentOf({ cli, flags }: Call) {
  const files = flags.list('attach') ?? [];
  const html = await givenText(cli, flags.text('html'));
  const text = await givenText(cli, flags.text('text'));
  return {
    ...(html === undefined ? {} : { html }),
    ...(text === undefined ? {} : { text }),
    ...(files.length === 0 ? {} : { attachments: await Promise.all(files.map((name) => attachment(cli, name))) }),
  };
}

const reply: Command = {
  words: 'email reply',
  summary: 'Answer a mail that came in: to its sender, in its thread.',
  positionals: [{ name: 'message_id', about: 'The message, msg_….' }],
  flags: [
    mailboxFlag('the only one'),
    { name: 'subject', type: 'string', about: '“Re: ” and the subject of the mail unless told.' },
    ...bodyFlags,
    projectFlag,
  ],
  examples: [['An answer', 'email reply msg_… --html "<p>Thank you.</p>"']],
  operations: ['email.get'],
  async run(call) {
    const project = await projectOf(call);
    const mailbox = await reader(call);
    const message = call.positionals.message_id;
    const answered = await perform(call.cli, rows['email.get'], { project, mailbox, message });
    if (answered.direction !== 'inbound')
      throw local('BAD_USAGE', 'Only a mail that came in can be answered.', { field: 'message_id' });
    const subject = String(answered.subject);
    return perform(call.cli, rows['email.send'], {
      project,
      mailbox,
      to: answered.from_address,
      subject: call.flags.text('subject') ?? (/^re:/i.test(subject) ? subject : `Re: ${subject}`),
      in_reply_to: message,
      ...(await contentOf(call)),
    });
  },
};

const listed = operationCommand('email list', rows['email.list'], {
  takes: [take('project')],
  flags: { mailbox: null },
  more: [
    mailboxFlag('the only one'),
    { name: 'follow', type: 'boolean', about: 'Go on as mail comes and goes, a line for each.' },
  ],
  also: ['email.openMessages', 'email.listMailboxes'],
  set: async (call) => ({ mailbox: await reader(call) }),
  columns: ['message_id', 'direction', 'from_address', 'to', 'subject', 'status', 'created_at'],
  examples: [
    ['What came in', 'email list --direction inbound'],
    ['As mail comes and goes', 'email list --follow'],
  ],
  empty: 'No mail.',
});

const list: Command = {
  ...listed,
  async run(call) {
    const { cli, flags, line } = call;
    if (!flags.is('follow')) return listed.run(call);
    const document = `subscription ($project: ID, $mailbox: String, $after: String) {
      mailboxMessages(project: $project, mailbox: $mailbox, after: $after) { cursor message {
        message_id: messageId direction from_address: fromAddress to subject status created_at: createdAt } } }`;
    const variables = { project: await projectOf(call), mailbox: await reader(call) };
    for await (const told of follow(cli, { document, variables })) line(told);
    return undefined;
  },
};

const getRaw: Command = {
  words: 'email get-raw',
  summary: 'Write a mail that came in into a file, byte for byte as it came.',
  positionals: [{ name: 'message_id', about: 'The message, msg_….' }],
  flags: [
    mailboxFlag('the only one'),
    { name: 'output', type: 'string', placeholder: 'file', about: 'The file: <message_id>.eml unless told.' },
    projectFlag,
  ],
  examples: [['A mail as it came', 'email get-raw msg_… --output mail.eml']],
  operations: ['email.getRaw', 'email.listMailboxes'],
  async run(call) {
    const { cli, positionals, flags } = call;
    const project = await projectOf(call);
    const mailbox = await reader(call);
    const message = positionals.message_id!;
    const output = flags.text('output') ?? `${message}.eml`;
    const path = `/mailboxes/v1/${encodeURIComponent(mailbox)}/messages/${encodeURIComponent(message)}/raw`;
    const { size } = await saveAnswer(cli, { method: 'GET', path, query: { project_id: project }, project }, output);
    return { message_id: message, output, size_bytes: size };
  },
};

export const group: Group = {
  name: 'email',
  about: ['svc email: mailboxes of a project, what they send and what comes in.'],
  commands: everyCommand(rows, [
    operationCommand('email create', rows['email.createMailbox'], {
      takes: [take('project'), take('slug')],
      examples: [['An address for what the application sends', 'email create hello-there']],
    }),
    operationCommand('email mailboxes', rows['email.listMailboxes'], {
      takes: [take('project')],
      columns: ['mailbox_id', 'address', 'status', 'is_default_outbound', 'sends_today'],
      examples: [['What there is', 'email mailboxes']],
      empty: 'No mailboxes.',
    }),
    operationCommand('email defaults', rows['email.setMailboxDefaults'], {
      takes: [take('project')],
      flags: { default_outbound_mailbox_id: 'outbound', auth_sender_mailbox_id: 'auth-sender' },
      set: ({ flags }) =>
        Object.fromEntries(
          (
            [
              ['default_outbound_mailbox_id', flags.text('outbound')],
              ['auth_sender_mailbox_id', flags.text('auth-sender')],
            ] as const
          ).flatMap(([name, given]) => (given === undefined ? [] : [[name, given === 'none' ? null : given]])),
        ),
      texts: {
        default_outbound_mailbox_id: 'The mailbox that sends what names none, mbx_… or its slug; none for none.',
        auth_sender_mailbox_id: 'The mailbox that sends the mails of sign-in, mbx_… or its slug; none for none.',
      },
      examples: [['Mail that names no mailbox', 'email defaults --outbound hello-there']],
    }),
    operationCommand('email info', rows['email.getMailbox'], {
      takes: [take('project')],
      flags: { mailbox: null },
      more: [mailboxFlag('the only one')],
      set: async (call) => ({ mailbox: await reader(call) }),
      examples: [['Whether it sends and receives', 'email info --mailbox hello-there']],
    }),
    operationCommand('email update', rows['email.updateMailbox'], {
      takes: [take('project')],
      flags: { mailbox: null },
      more: [mailboxFlag('the only one')],
      set: async (call) => ({ mailbox: await reader(call) }),
      examples: [['Mail without a footer', 'email update --footer-policy none']],
    }),
    operationCommand('email delete', rows['email.deleteMailbox'], {
      takes: [take('project'), take('mailbox')],
      confirm: 'all mail of the mailbox is deleted with it.',
      examples: [['It is not needed any more', 'email delete hello-there --confirm']],
    }),
    operationCommand('email send', rows['email.send'], {
      takes: [take('project'), take('to')],
      flags: { mailbox: null, html: null, text: null, attachments: null },
      more: [mailboxFlag('the default one'), ...bodyFlags],
      also: ['email.listMailboxes'],
      set: async (call) => ({ mailbox: await sender(call), ...(await contentOf(call)) }),
      examples: [
        ['A mail', 'email send ada@example.com --subject Hello --html @hello.html --attach report.pdf'],
        [
          'By a template',
          `email send ada@example.com --template notification --variables '{"project_name":"Notes","message":"Ready."}'`,
        ],
      ],
    }),
    reply,
    list,
    getRaw,
    ...webhookCommands,
    operationCommand('email get', rows['email.get'], {
      takes: [take('project'), take('message', { name: 'message_id' })],
      flags: { mailbox: null },
      more: [mailboxFlag('the only one')],
      set: async (call) => ({ mailbox: await reader(call) }),
      examples: [['A mail with its text', 'email get msg_…']],
    }),
  ]),
};
