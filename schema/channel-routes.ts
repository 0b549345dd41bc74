import {
  channelDeliveryStates,
  communityStates,
  deliveryKinds,
  enrollmentModes,
  pauseReasons,
  routeScopes,
  routeStates,
} from '../db/schema/channel-routes.ts';
import { activateCommunity } from '../resolvers/channel-routes/communities/activate-community.ts';
import { revokeCommunity, updateCommunity } from '../resolvers/channel-routes/communities/change-community.ts';
import type { ChannelCommunity } from '../resolvers/channel-routes/communities/community.ts';
import { createCommunity } from '../resolvers/channel-routes/communities/create-community.ts';
import { getCommunity, listCommunities } from '../resolvers/channel-routes/communities/read-communities.ts';
import { authorizationOf, configureRoute } from '../resolvers/channel-routes/configure-route.ts';
import { type ChannelDelivery, threadPositionOf } from '../resolvers/channel-routes/delivery.ts';
import { listRouteDeliveries } from '../resolvers/channel-routes/list-deliveries.ts';
import { pauseRoute, resumeRoute } from '../resolvers/channel-routes/pause-route.ts';
import {
  detailOf,
  getRoute,
  keyStates,
  listRoutes,
  type RouteDetail,
  routeHealths,
} from '../resolvers/channel-routes/read-routes.ts';
import { revokeRoute } from '../resolvers/channel-routes/revoke-route.ts';
import { authorizeHint, type RotatedKey, rotateRouteKey } from '../resolvers/channel-routes/rotate-key.ts';
import type { ChannelRoute } from '../resolvers/channel-routes/route.ts';
import { testRoute } from '../resolvers/channel-routes/test-route.ts';
import { updateRoute } from '../resolvers/channel-routes/update-route.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, windowInputs } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { run } from './run.ts';

const CommunityStatusEnum = enumOf('ChannelCommunityStatus', 'How an installation stands.', communityStates, {
  pending: 'Its authority has yet to approve.',
  active: 'Routes may lead into it.',
  expired: 'Its authority did not approve in time.',
  revoked: 'It was uninstalled.',
});

const EnrollmentModeEnum = enumOf('ChannelEnrollmentMode', 'How agents become members.', enrollmentModes, {
  manual: 'One by one.',
  automatic: 'By themselves.',
});

const ScopeEnum = enumOf('ChannelRouteScope', 'Which projects a channel is told of.', routeScopes, {
  listed: 'Those that are named.',
  org: 'All of the organization.',
});

const StatusEnum = enumOf('ChannelRouteStatus', 'How a route stands.', routeStates, {
  pending_authorization: 'Its key is no member of the channel yet.',
  active: 'It tells of events.',
  paused: 'It rests.',
  revoked: 'It has ended.',
});

const PauseReasonEnum = enumOf('ChannelRoutePauseReason', 'Why a route rests.', pauseReasons, {
  owner: 'An owner has paused it.',
  delivery_failures: 'Its relay has refused too much.',
});

const HealthEnum = enumOf('ChannelRouteHealth', 'Whether a route can do its work.', routeHealths, {
  active: 'It does.',
  paused: 'It rests.',
  pending_authorization: 'Its key is no member of the channel yet.',
  signing_unavailable: 'The key that messages are signed with cannot be used.',
  revoked: 'It has ended.',
});

const KeyStateEnum = enumOf('ChannelNotificationKeyStatus', 'How the key of a community stands.', keyStates, {
  pending_authorization: 'It was seen in no channel yet.',
  active: 'It was seen among the members of a channel.',
  revoked: 'It was destroyed.',
});

const DeliveryKindEnum = enumOf('ChannelDeliveryKind', 'What a message tells.', deliveryKinds, {
  event: 'An event.',
  test: 'That it is a test.',
});

const DeliveryStatusEnum = enumOf('ChannelDeliveryStatus', 'How a message went.', channelDeliveryStates, {
  queued: 'It waits for its first attempt.',
  retryable: 'An attempt failed; it is tried again.',
  delivered: 'The relay has it.',
  suppressed: 'Its project is no longer the organization’s.',
  dead_letter: 'It was given up.',
  cancelled: 'Its route was revoked.',
});

const ThreadPositionEnum = enumOf('ChannelThreadPosition', 'Where a message stands.', ['root', 'reply'] as const, {
  root: 'It begins a thread.',
  reply: 'It answers the first message of its thread.',
});

const CommunityRef = builder.objectRef<ChannelCommunity>('ChannelCommunity').implement({
  description: 'A chat community that an organization has installed: a relay of the protocol Nostr.',
  fields: (t) => ({
    installationId: t.exposeString('id', { description: 'Native id, `chci_…`.' }),
    communitySubject: t.exposeString('subject', { description: 'Public key of the relay itself.' }),
    authoritySubject: t.exposeString('authoritySubject', { description: 'Public key of whoever answers for it.' }),
    relayUrl: t.exposeString('relayUrl', { nullable: true, description: 'Where it is; null until it is active.' }),
    status: t.expose('status', { type: CommunityStatusEnum, description: 'How it stands.' }),
    authorityProofContent: t.exposeString('proofContent', { description: 'What its authority has to sign.' }),
    defaultForEnrollment: t.exposeBoolean('isDefault', { description: 'Whether it is the usual one.' }),
    enrollmentPolicy: t.field({
      type: 'JSONObject',
      description: 'How agents may become members.',
      resolve: ({ policy }) => ({ ...policy }),
    }),
    policyRevision: t.exposeInt('policyRevision', { description: 'Rises with each change.' }),
    issuedAt: t.expose('createdAt', { type: 'DateTime', description: 'When its installation began.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when its authority may approve.' }),
    activatedAt: t.expose('activatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its authority approved.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was uninstalled.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
  }),
});

const DeliveryRef = builder.objectRef<ChannelDelivery>('ChannelRouteDelivery').implement({
  description: 'A message that a channel was told, or is to be.',
  fields: (t) => ({
    deliveryId: t.exposeString('id', { description: 'Native id, `chrd_…`.' }),
    routeId: t.exposeString('routeId', { description: 'Its route, `chrt_…`.' }),
    kind: t.expose('kind', { type: DeliveryKindEnum, description: 'What it tells.' }),
    status: t.expose('status', { type: DeliveryStatusEnum, description: 'How it went.' }),
    eventType: t.exposeString('eventType', { description: 'Of what it tells; `channel_route_test` of a test.' }),
    projectId: t.exposeString('projectId', { nullable: true, description: 'The project that it is about.' }),
    projectEventId: t.float({
      nullable: true,
      description: 'The event’s number in its organization; null of a test.',
      resolve: ({ position }) => (position === null ? null : Number(position)),
    }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When that happened.' }),
    envelopeEventId: t.exposeString('envelopeEventId', {
      nullable: true,
      description: 'What the relay knows the message by, once it is signed.',
    }),
    projectionHash: t.exposeString('projectionHash', { nullable: true, description: 'SHA-256 of its text.' }),
    signingGeneration: t.exposeInt('signingGeneration', {
      nullable: true,
      description: 'Which key of its community has signed it.',
    }),
    attemptCount: t.exposeInt('attempts', { description: 'How often it was tried.' }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next; null once it is over.',
    }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why the last attempt failed.' }),
    suppressedReason: t.exposeString('suppressedReason', { nullable: true, description: 'Why it was not sent.' }),
    releaseId: t.exposeString('releaseId', { nullable: true, description: 'The release that it is about.' }),
    threadRootDeliveryId: t.exposeString('threadRootId', {
      nullable: true,
      description: 'The first message of its thread; null for that one.',
    }),
    threadPosition: t.field({
      type: ThreadPositionEnum,
      nullable: true,
      description: 'Where it stands in its thread.',
      resolve: threadPositionOf,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was queued.' }),
    deliveredAt: t.expose('deliveredAt', { type: 'DateTime', nullable: true, description: 'When it was taken.' }),
    terminalAt: t.expose('terminalAt', { type: 'DateTime', nullable: true, description: 'Since when it is over.' }),
  }),
});

const DeliveryConnection = builder.connectionObject({ type: DeliveryRef, name: 'ChannelRouteDeliveryConnection' });

const DetailRef = builder.objectRef<RouteDetail>('ChannelRouteDetail').implement({
  description: 'How a route stands, and what waits.',
  fields: (t) => ({
    health: t.expose('health', { type: HealthEnum, description: 'Whether it can do its work.' }),
    notificationKeyStatus: t.expose('keyState', { type: KeyStateEnum, description: 'How its key stands.' }),
    deliveryCounts: t.field({
      type: 'JSONObject',
      description: 'How many messages went how, by the names of the states.',
      resolve: ({ counts }) => ({ ...counts }),
    }),
    oldestPendingCreatedAt: t.expose('oldestPendingAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the message was queued that waits longest.',
    }),
    newestEventId: t.float({
      nullable: true,
      description: 'Number of the newest event of the organization.',
      resolve: ({ newestPosition }) => (newestPosition === null ? null : Number(newestPosition)),
    }),
  }),
});

const listed = inputsOf(listRouteDeliveries, { omit: ['channel_route_id', ...windowInputs] });

const RouteRef = builder.objectRef<ChannelRoute>('ChannelRoute').implement({
  description: 'A channel of a chat community that events of projects are told in.',
  fields: (t) => ({
    routeId: t.exposeString('id', { description: 'Native id, `chrt_…`.' }),
    installationId: t.exposeString('communityId', { description: 'The installation of its community, `chci_…`.' }),
    routeName: t.exposeString('name', { description: 'What people call it.' }),
    channelId: t.exposeString('channelId', { description: 'The channel: the id of a group of the relay.' }),
    projectScope: t.expose('projectScope', { type: ScopeEnum, description: 'Which projects are told of.' }),
    projectIds: t.stringList({ description: 'The projects that are named.', resolve: ({ projectIds }) => projectIds }),
    eventTypes: t.stringList({
      nullable: true,
      description: 'Only these types; null: all that may be told.',
      resolve: ({ eventTypes }) => eventTypes,
    }),
    eventClasses: t.stringList({
      nullable: true,
      description: 'Only these classes; null: all that may be told.',
      resolve: ({ eventClasses }) => eventClasses,
    }),
    includeOrgEvents: t.exposeBoolean('includesOrgEvents', {
      description: 'Whether events of the organization as a whole are told, too.',
    }),
    onCallPubkey: t.exposeString('onCallPublicKey', {
      nullable: true,
      description: 'Public key of whoever is addressed by errors and incidents.',
    }),
    onCallDisplayName: t.exposeString('onCallName', { nullable: true, description: 'What that one is called.' }),
    status: t.expose('status', { type: StatusEnum, description: 'How it stands.' }),
    pauseReason: t.expose('pauseReason', { type: PauseReasonEnum, nullable: true, description: 'Why it rests.' }),
    pausedAt: t.expose('pausedAt', { type: 'DateTime', nullable: true, description: 'Since when it rests.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    revision: t.exposeInt('revision', { description: 'Rises with each change.' }),
    startAfterEventId: t.float({
      description: 'Number of the newest event when it was made: only later ones are told.',
      resolve: ({ startAfter }) => Number(startAfter),
    }),
    consumerCursor: t.float({
      description: 'Number of the last event that was looked at.',
      resolve: ({ cursor }) => Number(cursor),
    }),
    consecutiveHardFailures: t.exposeInt('failures', {
      description: 'Attempts one after the other that were refused, or were the last; with ten it is paused.',
    }),
    notificationPubkey: t.exposeString('publicKey', { description: 'Public key that its messages are signed with.' }),
    signingGeneration: t.exposeInt('generation', { description: 'How often that key was made anew, and one.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
    detail: t.field({
      type: DetailRef,
      description: 'How it stands, and what waits.',
      resolve: (route, _args, { services }) => detailOf(services, route),
    }),
    deliveries: t.field({
      type: DeliveryConnection,
      nullable: true,
      ...fieldOf(listRouteDeliveries),
      args: { ...pageArgs, ...listed.args },
      resolve: async ({ id }, args, ctx) => {
        const asked = { channel_route_id: id, ...listed.read(args), ...listWindowOf(args) };
        return listConnection(await run(listRouteDeliveries, ctx, asked), args);
      },
    }),
  }),
});

builder.objectField(OrganizationRef, 'channelCommunities', (t) =>
  t.field({
    type: [CommunityRef],
    nullable: true,
    ...fieldOf(listCommunities),
    resolve: async ({ id }, _args, ctx) => [...(await run(listCommunities, ctx, { org_id: id }))],
  }),
);

builder.objectField(OrganizationRef, 'channelRoutes', (t) =>
  t.field({
    type: [RouteRef],
    nullable: true,
    ...fieldOf(listRoutes),
    resolve: async ({ id }, _args, ctx) => [...(await run(listRoutes, ctx, { org_id: id }))],
  }),
);

readField('channelCommunity', getCommunity, { type: CommunityRef });

readField('channelRoute', getRoute, { type: RouteRef, result: ({ route }) => route });

const policyType = {
  name: 'ChannelEnrollmentPolicyInput',
  description: 'How agents may become members.',
  types: { mode: EnrollmentModeEnum },
} as const;

changeField('createChannelCommunity', createCommunity, {
  type: CommunityRef,
  input: 'A chat community to install.',
  argument: 'The community.',
  types: { enrollment_policy: policyType },
});

changeField('activateChannelCommunity', activateCommunity, {
  type: CommunityRef,
  input: 'What shows that the authority of a community approves.',
  argument: 'The installation, and the proof.',
  types: {
    authority_proof: { name: 'ChannelAuthorityProofInput', description: 'What its authority has signed.' },
  },
});

changeField('updateChannelCommunity', updateCommunity, {
  type: CommunityRef,
  input: 'A community to change.',
  argument: 'The installation, and what changes.',
  types: { enrollment_policy: policyType },
});

changeField('revokeChannelCommunity', revokeCommunity, {
  type: CommunityRef,
  input: 'A community to uninstall.',
  argument: 'The installation.',
});

const AuthorizationRef = builder.objectRef<ReturnType<typeof authorizationOf>>('ChannelRouteAuthorization').implement({
  description: 'Whether messages of a route are taken, or what has to be done before.',
  fields: (t) => ({
    authorized: t.boolean({
      description: 'Whether its key is a member of the channel.',
      resolve: ({ status }) => status === 'authorized',
    }),
    notificationPubkey: t.exposeString('notification_pubkey', { description: 'The key that has to be a member.' }),
    instructions: t.string({
      nullable: true,
      description: 'What has to be done, in words.',
      resolve: (one) => ('instructions' in one ? one.instructions : null),
    }),
  }),
});

const ConfiguredRef = builder
  .objectRef<Parameters<typeof authorizationOf>[0]>('ConfigureChannelRoutePayload')
  .implement({
    description: 'A route that was made.',
    fields: (t) => ({
      route: t.field({ type: RouteRef, description: 'The route.', resolve: ({ route }) => route }),
      authorization: t.field({
        type: AuthorizationRef,
        description: 'Whether its messages are taken.',
        resolve: authorizationOf,
      }),
    }),
  });

changeField('configureChannelRoute', configureRoute, {
  type: ConfiguredRef,
  input: 'A channel that is to be told of events.',
  argument: 'The channel, and what it is told of.',
  types: { project_scope: ScopeEnum },
});

changeField('updateChannelRoute', updateRoute, {
  type: RouteRef,
  input: 'A route to change.',
  argument: 'The route, and what changes.',
  types: { project_scope: ScopeEnum },
});

changeField('testChannelRoute', testRoute, {
  type: DeliveryRef,
  input: 'A route to try out.',
  argument: 'The route.',
});

changeField('pauseChannelRoute', pauseRoute, {
  type: RouteRef,
  input: 'A route that is to rest.',
  argument: 'The route.',
  result: ({ route }) => route,
});

changeField('resumeChannelRoute', resumeRoute, {
  type: RouteRef,
  input: 'A route that is to go on.',
  argument: 'The route.',
  result: ({ route }) => route,
});

const RotationRef = builder.objectRef<RotatedKey>('RotateChannelRouteKeyPayload').implement({
  description: 'The next key that messages of a community are signed with.',
  fields: (t) => ({
    route: t.field({ type: RouteRef, description: 'The route that it was asked for.', resolve: ({ route }) => route }),
    nextNotificationPubkey: t.string({
      description: 'Its public key.',
      resolve: ({ key }) => key.nextPublicKey!,
    }),
    nextSigningGeneration: t.int({ description: 'Which one it is.', resolve: ({ key }) => key.generation + 1 }),
    authorizeHint: t.string({
      description: 'What has to be done before it signs, in words.',
      resolve: ({ key }) => authorizeHint(key.nextPublicKey!),
    }),
  }),
});

changeField('rotateChannelRouteKey', rotateRouteKey, {
  type: RotationRef,
  input: 'A route whose key is to be made anew.',
  argument: 'The route.',
});

changeField('revokeChannelRoute', revokeRoute, {
  type: RouteRef,
  input: 'A route to end.',
  argument: 'The route.',
  result: ({ route }) => route,
});
