import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { readInput } from '../input.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/channel-community.ts';

const community = take('community_installation_id');

export const group: Group = {
  name: 'channel-community',
  about: [
    'svc channel-community: chat communities (relays of the protocol Nostr) that an organization has installed.',
    'Whoever runs the relay has to sign the proof that create answers.',
  ],
  commands: everyCommand(rows, [
    operationCommand('channel-community create', rows['channelCommunities.create'], {
      takes: [take('org_id')],
      flags: { community_subject: 'subject', community_authority_subject: 'authority', enrollment_policy: 'policy' },
      texts: { enrollment_policy: 'How agents may become members: JSON, @file or - for the standard input.' },
      examples: [['Begin', 'channel-community create --subject 79be667e… --authority c6047f94…']],
    }),
    operationCommand('channel-community list', rows['channelCommunities.list'], {
      takes: [take('org_id')],
      columns: ['community_installation_id', 'community_subject', 'relay_url', 'status', 'expires_at'],
      examples: [['All of them', 'channel-community list']],
      empty: 'No communities. Install one with svc channel-community create.',
    }),
    operationCommand('channel-community get', rows['channelCommunities.get'], {
      takes: [community],
      examples: [['One', 'channel-community get chci_01jzk3']],
    }),
    operationCommand('channel-community activate', rows['channelCommunities.activate'], {
      takes: [community],
      flags: { authority_proof: null },
      more: [
        { name: 'relay', type: 'string', placeholder: 'wss://…', required: true, about: 'Where the relay is.' },
        {
          name: 'event',
          type: 'json',
          required: true,
          about: 'The event that its authority has signed: JSON, @file or - for the standard input.',
        },
      ],
      also: ['channelCommunities.get'],
      set: async ({ cli, positionals, flags }) => {
        const event = await readInput(cli, flags.value('event'), 'event');
        if (typeof event !== 'object' || event === null)
          throw badUsage('--event must be an event as JSON.', { field: 'event' });
        const { community_subject } = await perform(cli, rows['channelCommunities.get'], positionals);
        return { authority_proof: { community_subject, approval_event: event, relay_url: flags.text('relay') } };
      },
      examples: [
        [
          'What was signed',
          'channel-community activate chci_01jzk3 --relay wss://relay.example.com --event @event.json',
        ],
      ],
    }),
    operationCommand('channel-community update', rows['channelCommunities.update'], {
      takes: [community],
      flags: { policy_revision: 'revision', default_for_enrollment: 'default', enrollment_policy: 'policy' },
      texts: { enrollment_policy: 'How agents may become members: JSON, @file or - for the standard input.' },
      examples: [['The usual one', 'channel-community update chci_01jzk3 --revision 1 --default']],
    }),
    operationCommand('channel-community delete', rows['channelCommunities.revoke'], {
      takes: [community],
      confirm: 'its routes are revoked, and its key is destroyed.',
      examples: [['For good', 'channel-community delete chci_01jzk3 --confirm']],
    }),
  ]),
};
