import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { afterwards, badUsage, runCommand } from '../failure.ts';
import { changeBinding, spelling } from '../files/bindings.ts';
import { choose, chosen } from '../files/state.ts';
import { walletName } from '../files/wallets.ts';
import { apiBase } from '../net/api-base.ts';
import { call } from '../net/gateway.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/org.ts';
import { findOrg, orgFlag, requireOrg } from '../resolve.ts';
import { whoami } from '../whoami.ts';

const use: Command = {
  words: 'org use',
  summary: 'Use an organization from now on, for this wallet on this gateway.',
  about: ['It is what commands go by where neither --org, SVC_ORG nor a binding file names one.'],
  positionals: [{ name: 'org_id', about: 'Organization, a UUID. It has to be one of yours.' }],
  examples: [['Use it', 'org use 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
  async run({ cli, positionals }) {
    const org = await requireOrg(cli, { 'the argument': positionals.org_id });
    const { body } = await call(cli, { method: 'GET', path: `/orgs/v1/${org}` });
    await choose(cli, (await apiBase(cli)).url, { org_id: org });
    return { org_id: org, display_name: body.display_name ?? null, wallet: await walletName(cli) };
  },
};

const current: Command = {
  words: 'org current',
  summary: 'The organization that commands go by here, and the one that `org use` chose.',
  examples: [['Which one is it?', 'org current']],
  async run({ cli }) {
    const { org_id: used } = await chosen(cli, (await apiBase(cli)).url);
    return { org_id: (await findOrg(cli)) ?? null, used: used ?? null, wallet: await walletName(cli) };
  },
};

const clear: Command = {
  words: 'org clear',
  summary: 'Use no organization any more, for this wallet on this gateway.',
  examples: [['Forget it', 'org clear']],
  async run({ cli }) {
    await choose(cli, (await apiBase(cli)).url, { org_id: null });
    return { cleared: true, wallet: await walletName(cli) };
  },
};

const personal = {
  name: 'local',
  type: 'boolean' as const,
  about: 'In `.svc.local.json`, which is yours alone, rather than `.svc.json`, which may be committed.',
};

const bind: Command = {
  words: 'org bind',
  summary: 'Bind this checkout to an organization and a room.',
  about: [
    'Writes `.svc.json` in this folder, or the one that stands above it. Everybody who works in the checkout then means ' +
      'the same organization and room. It holds no secret.',
  ],
  flags: [
    orgFlag,
    {
      name: 'room',
      type: 'string',
      placeholder: 'key',
      about: 'Room that messages and claims of this checkout go to.',
    },
    personal,
  ],
  examples: [
    ['Bind a checkout', 'org bind --org 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --room standup'],
    ['For yourself only', 'org bind --room standup --local'],
  ],
  async run({ cli, flags }) {
    const room = flags.text('room');
    if (room !== undefined && !spelling.room.test(room))
      throw badUsage('--room is no key of a room: small letters, digits, dot, - and _.', { field: 'room' });
    const org = await requireOrg(cli, { '--org': flags.text('org') });
    const { file, binding } = await changeBinding(
      cli,
      { org, ...(room === undefined ? {} : { room }) },
      { personal: flags.is('local') },
    );
    return { file, ...binding };
  },
};

const unbind: Command = {
  words: 'org unbind',
  summary: 'Take organization and room out of this checkout’s binding file.',
  flags: [personal],
  examples: [['Unbind', 'org unbind']],
  async run({ cli, flags }) {
    const { file, binding } = await changeBinding(cli, { org: null, room: null }, { personal: flags.is('local') });
    return { file, ...binding };
  },
};

const create: Command = operationCommand('org create', rows['orgs.create'], {
  flags: { display_name: 'name' },
  about: ['Commands go by it from then on, for this wallet on this gateway, as after `svc org use`.'],
  examples: [['An organization with a name', 'org create --name "My team"']],
  async shown(made, { cli }) {
    const { org_id } = made as { readonly org_id: string };
    try {
      await choose(cli, (await apiBase(cli)).url, { org_id });
    } catch (error) {
      throw afterwards(error, `The organization ${org_id} is made, but not kept here as the one in use.`, {
        details: { org_id },
        nextActions: [runCommand(`svc org use ${org_id}`, 'It keeps it for this wallet.')],
      });
    }
    return made;
  },
});

const clearName = { name: 'clear', type: 'boolean' as const, about: 'Have no name instead.' };

export const group: Group = {
  name: 'org',
  about: [
    'svc org: organizations own projects, rooms and money. Members have a role in one: owner, admin, developer, billing or viewer.',
    'Commands look for the organization in --org, SVC_ORG, the binding file of the checkout, and what `svc org use` chose, in this order. Where none is named and you belong to exactly one, it is that one.',
  ],
  commands: everyCommand(rows, [
    create,
    operationCommand('org get', rows['orgs.get'], {
      takes: [take('org')],
      examples: [
        ['The one in use', 'org get'],
        ['Another', 'org get 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70'],
      ],
    }),
    operationCommand('org list', rows['orgs.list'], {
      examples: [['All of yours', 'org list']],
      columns: ['org_id', 'display_name', 'role', 'status'],
      empty: 'No organizations yet. Create one: svc org create --name "My team"',
    }),
    operationCommand('org find', rows['orgs.getBySlug'], {
      takes: [take('slug')],
      examples: [['By its address form', 'org find my-team']],
    }),
    operationCommand('org rename', rows['orgs.rename'], {
      takes: [take('org'), take('display_name', { optional: true, rest: true })],
      texts: { display_name: 'Name for people, not unique, at most 100 characters.' },
      more: [clearName],
      set: ({ positionals, flags }) => {
        if ((positionals.display_name === undefined) === !flags.is('clear'))
          throw badUsage('Give either a name or --clear.', { field: 'display_name' });
        return { display_name: flags.is('clear') ? null : positionals.display_name };
      },
      examples: [
        ['Another name', 'org rename 0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70 The new team'],
        ['No name', 'org rename --clear'],
      ],
    }),
    operationCommand('org slug', rows['orgs.claimSlug'], {
      takes: [take('slug')],
      about: [
        'The first slug of an organization costs a fee from its prepaid balance. Renaming is free, and the old slug rests for ' +
          'about 90 days. A key that makes the call safe to repeat is made unless you give one.',
      ],
      examples: [['Claim one', 'org slug my-team']],
    }),
    operationCommand('org payout-wallet get', rows['orgs.getPayout'], {
      takes: [take('org')],
      examples: [['Where earnings go', 'org payout-wallet get']],
    }),
    operationCommand('org payout-wallet set', rows['orgs.setPayoutWallet'], {
      takes: [take('wallet_address', { optional: true })],
      texts: { wallet_address: 'Address that earnings go to, in any letter case.' },
      more: [{ ...clearName, about: 'Name none instead.' }],
      set: ({ positionals, flags }) => {
        if ((positionals.wallet_address === undefined) === !flags.is('clear'))
          throw badUsage('Give either a wallet or --clear.', { field: 'wallet_address' });
        return { wallet_address: flags.is('clear') ? null : positionals.wallet_address };
      },
      examples: [['Name a wallet', 'org payout-wallet set 0x00000000000000000000000000000000000000a1']],
    }),
    whoami('org whoami'),
    operationCommand('org audit', rows['orgs.listAudit'], {
      takes: [take('org')],
      flags: { after: null, older_than: 'before' },
      texts: { older_than: '`next_cursor` of the page before: only what is older.' },
      about: ['For admins and owners.'],
      examples: [['The latest ten', 'org audit --limit 10']],
      columns: ['occurred_at', 'action', 'outcome', 'object.kind', 'object.id'],
    }),
    use,
    current,
    clear,
    bind,
    unbind,
    operationCommand('org member list', rows['orgs.listMembers'], {
      examples: [['Who is in it', 'org member list']],
      columns: ['principal_id', 'role', 'status', 'wallet'],
    }),
    operationCommand('org member add', rows['members.add'], {
      takes: [take('wallet')],
      examples: [['Add a colleague', 'org member add 0x00000000000000000000000000000000000000a1 --role admin']],
    }),
    operationCommand('org member role', rows['members.setRole'], {
      takes: [take('principal', { name: 'principal_id' }), take('role')],
      examples: [['Make somebody a viewer', 'org member role prn_0kz3m viewer']],
    }),
    operationCommand('org member rm', rows['members.remove'], {
      takes: [take('principal', { name: 'principal_id' })],
      examples: [['Remove a member', 'org member rm prn_0kz3m']],
    }),
    operationCommand('org member revoke-key', rows['members.revokeKey'], {
      flags: { principal: 'principal' },
      about: ['For owners, with a fresh passkey where a person’s session does it.'],
      examples: [['After a lost laptop', 'org member revoke-key --principal prn_0kz3m --reason "lost laptop"']],
    }),
    operationCommand('org invite list', rows['invites.list'], {
      examples: [['Who has not come yet', 'org invite list']],
      empty: 'No open invitations. Invite a colleague: svc org invite create <email>',
    }),
    operationCommand('org invite create', rows['invites.create'], {
      takes: [take('email')],
      flags: { invite_ttl_hours: 'ttl-hours' },
      about: [
        'There is no accepting: whoever signs in by that address is a member from then on. Owner and admin want an enrolled passkey, too.',
      ],
      examples: [
        ['Invite a developer', 'org invite create ada@example.com'],
        ['An admin, for a day', 'org invite create ada@example.com --role admin --ttl-hours 24'],
      ],
    }),
    operationCommand('org invite rm', rows['invites.revoke'], {
      takes: [take('principal', { name: 'principal_id' })],
      examples: [['Take it back', 'org invite rm prn_0kz3m']],
    }),
  ]),
};
