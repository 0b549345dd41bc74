import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { approvalBy, channelDoor } from '../channel-routes/channel-door.ts';
import { tell } from '../events/feed.ts';
import type { Relay } from '../helpers/nostr-relay.ts';
import type { Service } from '../helpers/service.ts';
import { terminalOfOwner } from './own-project.ts';

/** Somebody at a terminal whose organization has a chat community, installed by commands, and a route into a channel. */
export async function terminalWithRoute(service: Service, relay: Relay) {
  const ada = await terminalOfOwner(service);
  const community = (...words: string[]) => ada.svc('channel-community', ...words);
  const made = await community('create', '--subject', relay.self.publicKey, '--authority', relay.operator.publicKey);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const { community_installation_id: installation, authority_proof_content: content } = made.json;
  await ada.file('event.json', approvalBy(relay, content));
  const activated = await community('activate', installation, '--relay', relay.url, '--event', '@event.json');
  expect(activated.json).toMatchObject({ status: 'active' });

  const route = (...words: string[]) => ada.svc('channel-route', ...words);
  /** A route into a channel of its own. @returns the answer of the command */
  const configure = async (...more: string[]) => {
    const channel = `channel-${randomUUID()}`;
    const { json } = await route(
      'configure',
      ...['--community', installation, '--channel', channel, '--name', `route ${channel.slice(-4)}`],
      ...(more.includes('--scope') ? [] : ['--projects', ada.project]),
      ...more,
    );
    return { ...json, id: json.channel_route_id as string, channel };
  };
  return {
    ...ada,
    route,
    configure,
    installation: installation as string,
    /** Makes the key of a route a member of its channel, and waits until the gateway knows. */
    async join({ id, channel, notification_pubkey }: { id: string; channel: string; notification_pubkey: string }) {
      relay.join(channel, notification_pubkey);
      await expect
        .poll(async () => {
          await channelDoor(service, relay).lookAgain(id);
          return (await route('status', id)).json.status;
        })
        .toBe('active');
    },
    deployed: (release: string) =>
      tell(service, {
        orgId: ada.org,
        projectId: ada.project,
        type: 'deploy_activated',
        payload: { release_id: release, operation_id: 'op_1' },
      }),
    lookAgain: (id: string) => channelDoor(service, relay).lookAgain(id),
  };
}
