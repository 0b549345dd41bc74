import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { signEvent } from '../../engines/relay/signed-event.ts';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { Relay } from '../helpers/nostr-relay.ts';
import type { Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** The approval of an installation, as whoever runs a relay signs it. */
export const approvalBy = (relay: Relay, content: string, secret: Uint8Array = relay.operator.secret) =>
  signEvent(secret, { created_at: Math.floor(Date.now() / 1_000), kind: 1, tags: [], content });

/** Owners whose organizations have a chat community. */
export function channelDoor(service: Service, relay: Relay) {
  const call = documentedCalls(service);
  const { control } = service;

  /** Asks as somebody, each time under a key of its own. */
  const askAs =
    (actor: Actor) =>
    (method: string, path: string, body?: object, key: string | undefined = randomUUID()) =>
      call<Any>(actor, method, path, {
        ...(body === undefined ? {} : { body }),
        ...(method === 'GET' || key === undefined ? {} : { headers: { 'idempotency-key': key } }),
      });

  /** An owner with a project, and a community that is installed. */
  async function installed() {
    const owner = await service.project();
    const ask = askAs(owner.wallet);
    const begun = await ask('POST', '/channel-communities/v1', {
      org_id: owner.orgId,
      community_subject: relay.self.publicKey,
      community_authority_subject: relay.operator.publicKey,
    });
    const { community_installation_id: id, authority_proof_content: content } = begun.body;
    const community = `/channel-communities/v1/${id}`;
    const activated = await ask('POST', `${community}/activate`, {
      authority_proof: {
        community_subject: relay.self.publicKey,
        approval_event: approvalBy(relay, content),
        relay_url: relay.url,
      },
    });
    return { ...owner, ask, installation: id as string, begun, activated, community };
  }

  /** As {@link installed}, with a route into a channel of its own that its key is a member of unless told otherwise. */
  async function routed(more: object = {}, { isMember = true } = {}) {
    const owner = await installed();
    const { ask, orgId, projectId, installation } = owner;
    const channel = `channel-${randomUUID()}`;
    const made = await ask('POST', '/channel-routes/v1', {
      org_id: orgId,
      community_installation_id: installation,
      route_name: 'deploys',
      channel_id: channel,
      project_ids: [projectId],
      ...more,
    });
    const route = `/channel-routes/v1/${made.body.channel_route_id}`;
    const pubkey = made.body.notification_pubkey as string;
    if (isMember) {
      relay.join(channel, pubkey);
      await lookAgain(made.body.channel_route_id);
      await until(async () => expect((await ask('GET', route)).body.status).toBe('active'));
    }
    return {
      ...owner,
      made,
      channel,
      pubkey,
      route,
      routeId: made.body.channel_route_id as string,
      shown: async () => (await ask('GET', route)).body,
      deliveries: async (search = '') =>
        (await ask('GET', `${route}/deliveries${search}`)).body.channel_route_deliveries,
      change: async (body: object) => {
        const { revision } = (await ask('GET', route)).body;
        return ask('PATCH', route, { expected_revision: revision, ...body });
      },
    };
  }

  /** Has nodes look at a route now, and at what it would try again later. */
  async function lookAgain(routeId: string): Promise<void> {
    await control.sql(
      `update channel_deliveries set next_attempt_at = now() where next_attempt_at is not null and route_id = $1`,
      [routeId],
    );
    await until(async () => {
      const free = await control.sql(
        `update channel_routes set due_at = case when status in ('active', 'pending_authorization') then now() end
         where id = $1 and lease is null returning id`,
        [routeId],
      );
      expect(free).toHaveLength(1);
    });
  }

  return { call, askAs, installed, routed, lookAgain };
}
