import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
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

const connectRow = rows['notices.connectChat'];

const connect: Command = {
  words: 'contacts connect',
  summary: connectRow.summary,
  about: ['Press the link that is printed, in Telegram; svc contacts channels shows whether the chat is connected.'],
  positionals: [{ name: 'channel', optional: true, choices: ['chat'], about: 'What is connected.' }],
  flags: [
    { name: 'label', type: 'string', about: connectRow.inputs.label.about },
    { name: 'url', type: 'string', about: connectRow.inputs.url.about },
  ],
  examples: [
    ['A chat of Telegram', 'contacts connect chat --label team'],
    ['A channel with an incoming webhook', 'contacts connect --url https://hooks.slack.com/services/…'],
  ],
  operations: ['notices.connectChat'],
  run: ({ cli, flags }) => perform(cli, connectRow, { label: flags.text('label'), url: flags.text('url') }),
};

const preferencesRow = rows['notices.setPreferences'];

const named = Object.entries(preferencesRow.inputs).filter(
  ([name]) => name !== 'channels' && name !== 'security_events',
);

/** A value as it is written after the `=`. */
function settingValue(name: string, text: string): unknown {
  if (text === 'none' && name === 'webhook_url') return null;
  if (/^(digest_day_of_week|digest_hour_utc)$/.test(name) && /^\d+$/.test(text)) return Number(text);
  return text;
}

const setPreferences: Command = {
  words: 'contacts preferences set',
  summary: preferencesRow.summary,
  about: [
    'Settings are `name=value`, several after one another. `email` and `webhook` are `on` or `off`; security and billing always go by mail.',
    ...named.map(([name, { about }]) => `\`${name}\`: ${about}`),
  ],
  positionals: [{ name: 'settings', rest: true, about: 'Each `name=value`.' }],
  flags: [],
  examples: [
    ['A summary each day, nothing else by mail', 'contacts preferences set digest_cadence=daily lifecycle_events=off'],
    ['To a webhook', 'contacts preferences set webhook_url=https://ops.example.com/notices'],
  ],
  operations: ['notices.setPreferences'],
  async run({ cli, positionals }) {
    const channels: Record<string, boolean> = {};
    const inputs: Record<string, unknown> = {};
    for (const setting of positionals.settings!.split(/\s+/).filter((word) => word !== '')) {
      const [, name, text] = /^([a-z_]+)=(.*)$/.exec(setting) ?? [];
      if (name === undefined || text === undefined)
        throw badUsage(`${setting} is no setting: write name=value.`, { field: 'settings' });
      if (name === 'email' || name === 'webhook') {
        if (text !== 'on' && text !== 'off') throw badUsage(`${name} is on or off.`, { field: name });
        channels[name] = text === 'on';
      } else if (name === 'security_events' || named.some(([known]) => known === name))
        inputs[name] = settingValue(name, text);
      else throw badUsage(`There is no setting ${name}.`, { field: 'settings' });
    }
    return perform(cli, preferencesRow, { ...inputs, ...(Object.keys(channels).length > 0 ? { channels } : {}) });
  },
};

export const group: Group = {
  name: 'contacts',
  about: [
    'svc contacts: whom `svc escalations raise` pages. Level 1 is paged first; whoever does not answer in time lets the page climb.',
    'Owners change the list; a person’s session wants a fresh passkey for it.',
    '`channels`, `preferences` and `test` are about notices of what you answer for: `svc deliveries list` shows what came.',
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
    operationCommand('contacts disconnect', rows['notices.disconnectChat'], {
      takes: [take('binding', { name: 'binding_id' })],
      confirm: 'Disconnects the chat, and ends its rules.',
      examples: [['A chat no more', 'contacts disconnect 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --confirm']],
    }),
    operationCommand('contacts channels', rows['notices.listChannels'], {
      examples: [['How you are told', 'contacts channels']],
    }),
    operationCommand('contacts preferences', rows['notices.getPreferences'], {
      examples: [['What you are told of', 'contacts preferences']],
    }),
    setPreferences,
    operationCommand('contacts test', rows['notices.test'], {
      flags: { event_type: 'type' },
      examples: [['Does it arrive?', 'contacts test']],
    }),
  ]),
};
