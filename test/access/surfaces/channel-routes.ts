import { randomUUID } from 'node:crypto';
import { makeKey } from '../../../resolvers/channel-routes/signing-keys.ts';
import type { Stage, Surfaces } from './surface.ts';

const publicKey = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

export const channelSurfaces = ({ params, service }: Stage): Surfaces => {
  const { sql } = service.control;
  const idOf = (prefix: string) => `${prefix}_of_${params.project_id!}`;
  const ids = () => ({ community_installation_id: idOf('chci'), channel_route_id: idOf('chrt') });
  /** A community with a route that was told nothing yet; the same each time. The stage has no relay. */
  const routed = async (status = 'active') => {
    const { community_installation_id: community, channel_route_id: route } = ids();
    const key = idOf('chnp');
    await sql('delete from channel_communities where org_id = $1', [params.org_id]);
    for (const table of ['channel_keys', 'channel_routes', 'channel_deliveries'])
      await sql(`delete from ${table} where org_id = $1`, [params.org_id]);
    await sql(
      `insert into channel_communities (id, org_id, subject, authority_subject, relay_url, status, proof_content, policy, expires_at)
       values ($1, $2, $3, $3, 'wss://relay.invalid', $4, 'x',
         '{"mode":"manual","requires_current_community_membership":true}', now() + interval '1 day')`,
      [community, params.org_id, publicKey, status],
    );
    const made = makeKey(service.app.services, key, 1);
    await sql('insert into channel_keys (id, org_id, community_id, public_key, sealed) values ($1, $2, $3, $4, $5)', [
      key,
      params.org_id,
      community,
      made.publicKey,
      made.sealed,
    ]);
    await sql(
      `insert into channel_routes (id, org_id, community_id, key_id, name, channel_id, project_scope, project_ids,
         includes_org_events, status, start_after, cursor, due_at)
       values ($1, $2, $3, $4, 'deploys', 'deploys', 'org', '{}', false, 'active', 0, 0, null)`,
      [route, params.org_id, community, key],
    );
    return ids();
  };
  const pending = () => routed('pending');
  const paused = async () => {
    const made = await routed();
    await sql(`update channel_routes set status = 'paused', resumes_as = 'active' where id = $1`, [idOf('chrt')]);
    return made;
  };
  const none = async () => {
    await routed();
    await sql('delete from channel_communities where org_id = $1', [params.org_id]);
    return undefined;
  };
  const read = 'A + + + N F A F';
  const change = 'A + + F N F A F';
  const ofOrg = 'A + + F N F A F';
  const addition = (status: number) => ({
    status,
    reason: 'the description names the operation, and leaves its path open',
  });
  const audited = (action: string, kind: 'route' | 'community') => ({
    action: `channel_${kind}.${action}`,
    kind: `channel_${kind}`,
    objectId: kind === 'route' ? 'channel_route_id' : 'community_installation_id',
    // A node may have taken the route already, so the row of the trail itself is looked at.
    written: 'select xmin::text from audit_events where object_id = $1 order by seq desc limit 1',
  });
  const key = () => `idempotencyKey: "${randomUUID()}"`;
  const route = () => `channelRouteId: "${idOf('chrt')}"`;
  const community = () => `communityInstallationId: "${idOf('chci')}"`;
  const org = () => `org: "${params.org_id}"`;
  const routes = '/channel-routes/v1';
  const oneRoute = `${routes}/:channel_route_id`;
  const communities = '/channel-communities/v1';
  const oneCommunity = `${communities}/:community_installation_id`;
  const subjects = { community_subject: publicKey, community_authority_subject: publicKey };
  const proof = { community_subject: publicKey, approval_event: {}, relay_url: 'wss://relay.invalid' };
  const searched = () => `?org_id=${params.org_id}`;
  return {
    [`POST ${communities}`]: {
      addition: addition(201),
      cells: ofOrg,
      prepare: none,
      body: () => ({ org_id: params.org_id, ...subjects }),
      audited: audited('created', 'community'),
      field: () =>
        `mutation { createChannelCommunity(input: { ${org()}, communitySubject: "${publicKey}",
          communityAuthoritySubject: "${publicKey}", ${key()} }) { installationId } }`,
    },
    [`GET ${communities}`]: {
      addition: addition(200),
      cells: 'A + + + N F A F',
      prepare: routed,
      search: searched,
      field: () => `{ organization(id: "${params.org_id}") { channelCommunities { installationId } } }`,
      fieldCells: 'A + + + N F A F',
    },
    [`GET ${oneCommunity}`]: {
      addition: addition(200),
      cells: read,
      prepare: routed,
      field: () => `{ channelCommunity(${community()}) { installationId } }`,
    },
    [`POST ${oneCommunity}/activate`]: {
      addition: addition(200),
      cells: 'A H H F N F A F',
      prepare: pending,
      body: () => ({ authority_proof: proof }),
      field: () =>
        `mutation { activateChannelCommunity(input: { ${community()}, authorityProof: { communitySubject: "${publicKey}",
          approvalEvent: {}, relayUrl: "wss://relay.invalid" }, ${key()} }) { installationId } }`,
    },
    [`PATCH ${oneCommunity}`]: {
      addition: addition(200),
      cells: change,
      prepare: routed,
      body: () => ({ policy_revision: 1, default_for_enrollment: true }),
      audited: audited('updated', 'community'),
      field: () =>
        `mutation { updateChannelCommunity(input: { ${community()}, policyRevision: 1, defaultForEnrollment: true, ${key()} }) { policyRevision } }`,
    },
    [`DELETE ${oneCommunity}`]: {
      addition: addition(200),
      cells: change,
      prepare: routed,
      audited: audited('revoked', 'community'),
      field: () => `mutation { revokeChannelCommunity(input: { ${community()}, ${key()} }) { status } }`,
    },
    [`POST ${routes}`]: {
      addition: addition(201),
      cells: ofOrg,
      prepare: routed,
      body: () => ({
        org_id: params.org_id,
        community_installation_id: idOf('chci'),
        route_name: 'second',
        channel_id: 'second',
        project_scope: 'org',
      }),
      audited: audited('configured', 'route'),
      field: () =>
        `mutation { configureChannelRoute(input: { ${org()}, ${community()}, routeName: "second", channelId: "second",
          projectScope: ORG, ${key()} }) { route { routeId } } }`,
    },
    [`GET ${routes}`]: {
      addition: addition(200),
      cells: 'A + + + N F A F',
      prepare: routed,
      search: searched,
      field: () => `{ organization(id: "${params.org_id}") { channelRoutes { routeId } } }`,
    },
    [`GET ${oneRoute}`]: {
      addition: addition(200),
      cells: read,
      prepare: routed,
      field: () => `{ channelRoute(${route()}) { routeId } }`,
    },
    [`PATCH ${oneRoute}`]: {
      addition: addition(200),
      cells: change,
      prepare: routed,
      body: () => ({ expected_revision: 1, route_name: 'other' }),
      audited: audited('updated', 'route'),
      field: () =>
        `mutation { updateChannelRoute(input: { ${route()}, expectedRevision: 1, routeName: "other", ${key()} }) { revision } }`,
    },
    [`POST ${oneRoute}/test`]: {
      addition: addition(202),
      cells: change,
      prepare: paused,
      audited: {
        ...audited('tested', 'route'),
        kind: 'channel_route_delivery',
        objectId: 'channel_route_delivery_id',
      },
      field: () => `mutation { testChannelRoute(input: { ${route()}, ${key()} }) { deliveryId } }`,
    },
    [`GET ${oneRoute}/deliveries`]: {
      addition: addition(200),
      cells: read,
      prepare: routed,
      field: () => `{ channelRoute(${route()}) { deliveries { edges { node { deliveryId } } } } }`,
    },
    [`POST ${oneRoute}/pause`]: {
      addition: addition(200),
      cells: change,
      prepare: routed,
      audited: audited('paused', 'route'),
      field: () => `mutation { pauseChannelRoute(input: { ${route()}, ${key()} }) { status } }`,
    },
    [`POST ${oneRoute}/resume`]: {
      addition: addition(200),
      cells: change,
      prepare: paused,
      audited: audited('resumed', 'route'),
      field: () => `mutation { resumeChannelRoute(input: { ${route()}, ${key()} }) { status } }`,
    },
    [`POST ${oneRoute}/rotate`]: {
      addition: addition(202),
      cells: change,
      prepare: routed,
      audited: audited('key_rotated', 'route'),
      field: () => `mutation { rotateChannelRouteKey(input: { ${route()}, ${key()} }) { nextSigningGeneration } }`,
    },
    [`DELETE ${oneRoute}`]: {
      addition: addition(200),
      cells: change,
      prepare: routed,
      audited: audited('revoked', 'route'),
      field: () => `mutation { revokeChannelRoute(input: { ${route()}, ${key()} }) { status } }`,
    },
  };
};
