import { dropNulls } from '../core/drop-nulls.ts';
import type { Claim } from '../db/schema/claims.ts';
import { claimOf } from '../resolvers/rooms/claims/claim-feed.ts';
import { loadConflicts } from '../resolvers/rooms/claims/conflicts.ts';
import { createClaim } from '../resolvers/rooms/claims/create-claim.ts';
import { listClaims } from '../resolvers/rooms/claims/list-claims.ts';
import { loadClaims } from '../resolvers/rooms/claims/load-claims.ts';
import { openClaims } from '../resolvers/rooms/claims/open-claims.ts';
import { releaseClaim } from '../resolvers/rooms/claims/release-claim.ts';
import type { PresenceResult } from '../resolvers/rooms/shared/presence.ts';
import { type ClaimEvent, followClaims } from '../subscriptions/claims.ts';
import { builder, pageArgs, sameForAll } from './builder.ts';
import { inOrder, sliceConnection } from './connection.ts';
import { eventFields, followArgs, followable, followed, followFrom, followFromDescription } from './following.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { loaderOf } from './loader.ts';
import { fieldOf } from './operation-field.ts';
import { addressOf, arrivedPresence, newcomerFields, PresenceRef, RoomRef, roomArgs, roomInput } from './rooms.ts';
import { run } from './run.ts';
import { selectedBelow } from './selected.ts';

const ClaimModeEnum = builder.enumType('ClaimMode', {
  description: 'What a claim gets on with.',
  values: {
    EXCLUSIVE: { value: 'exclusive', description: 'With no other.' },
    SHARED: { value: 'shared', description: 'With others that are shared.' },
  } as const,
});

const ClaimStateEnum = builder.enumType('ClaimState', {
  description: 'Whether a claim stands.',
  values: {
    ACTIVE: { value: 'active', description: 'It stands.' },
    EXPIRED: { value: 'expired', description: 'Its time has run out.' },
    RELEASED: { value: 'released', description: 'It was released, by itself or as its holder left.' },
  } as const,
});

/** A claim; of a call that made or released it, with how it came by its holder and what the release came to. */
interface ShownClaim extends Claim {
  readonly arrival?: PresenceResult;
  readonly alreadyReleased?: boolean;
}

const ClaimRef = builder.loadableNodeRef<ShownClaim, string>('RoomClaim', {
  id: { resolve: ({ id }) => id },
  load: async (ids, ctx) => inOrder(ids, await loadClaims(ctx, ids), ({ id }) => id) as Claim[],
  toKey: ({ id }) => id,
});

const ClaimConnection = builder.connectionObject({
  type: ClaimRef,
  name: 'RoomClaimConnection',
  fields: (t) => ({
    cursor: t.string({
      nullable: true,
      description: `${followFromDescription} Null elsewhere than in a room.`,
      resolve: followFrom,
    }),
  }),
});

/** What stands against each of many claims, in one statement. */
const conflictsOf = loaderOf(loadConflicts, ({ id }) => id);

ClaimRef.implement({
  description: '“I am on this”: what a presence says of a resource to the others of its room. It blocks nothing.',
  fields: (t) => ({
    claimId: t.exposeString('id', { description: 'Native id, `clm_…`.' }),
    resource: t.exposeString('resource', { description: 'What is claimed.' }),
    mode: t.expose('mode', { type: ClaimModeEnum, description: 'What it gets on with.' }),
    note: t.exposeString('note', { nullable: true, description: 'What for.' }),
    holder: t.exposeString('holder', { description: 'Name of the presence that holds it.' }),
    holderPresenceId: t.exposeString('presenceId', { description: 'Presence that holds it, `prs_…`.' }),
    holderPresence: t.field({
      type: PresenceRef,
      nullable: true,
      description: 'The presence that holds it; null for a caller whose right to the room has just ended.',
      resolve: ({ presenceId, arrival }) => (arrival === undefined ? presenceId : arrivedPresence(arrival)),
    }),
    state: t.expose('state', { type: ClaimStateEnum, description: 'Whether it stands; in a change, right after it.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it runs out.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    releasedAt: t.expose('releasedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was released; null while it stands, and when it ran out.',
    }),
    alreadyReleased: t.exposeBoolean('alreadyReleased', {
      nullable: true,
      description: 'In the answer to a release: whether it was over before; null elsewhere.',
    }),
    room: t.field({
      type: RoomRef,
      nullable: true,
      description: 'The room it was made in; null for a caller whose right to it has just ended.',
      resolve: ({ orgId, roomKey }) => addressOf({ orgId, key: roomKey }),
    }),
    conflicts: t.field({
      type: ClaimConnection,
      description:
        'What stands against it now: claims of others who are live on the same thing, one of the two being exclusive.',
      args: pageArgs,
      resolve: async (claim, page, ctx) => sliceConnection(await conflictsOf(ctx).load(claim), ({ id }) => id, page),
    }),
  }),
});

builder.objectField(RoomRef, 'claims', (t) =>
  t.field({
    type: ClaimConnection,
    ...fieldOf(listClaims),
    args: {
      ...pageArgs,
      includeInactive: t.arg.boolean({
        required: false,
        description: 'Also the latest that were released or have run out; no unless told.',
      }),
    },
    resolve: ({ orgId, key }, { includeInactive, ...page }, ctx, info) => {
      const room = { org: orgId, room: key };
      const open = selectedBelow(info, '').has('cursor') ? () => run(openClaims, ctx, room) : undefined;
      return followable(ctx, open, async () => {
        const all = dropNulls({ include_inactive: includeInactive });
        return sliceConnection(await run(listClaims, ctx, { ...room, ...all }), ({ id }) => id, page);
      });
    },
  }),
);

const CreateRoomClaimInput = builder.inputType('CreateRoomClaimInput', {
  description: 'What is claimed, where, and by whom.',
  fields: (t) => ({
    ...orgField(t),
    room: t.string({ description: 'A project’s id for its default room, or a label.' }),
    resource: t.string({ description: '`repo:<glob>`, `function:<name>`, `table:<name>`, `deploy`, or any text.' }),
    mode: t.field({ type: ClaimModeEnum, description: 'What it gets on with.' }),
    ttlSeconds: t.int({ required: false, description: 'Seconds until it runs out: 3600 unless told, at most 86400.' }),
    note: t.string({ required: false, description: 'What for; for display.' }),
    presenceId: t.string({ required: false, description: 'Presence that claims, `prs_…`.' }),
    sessionKey: t.string({ required: false, description: 'Session that claims; one is registered when it is new.' }),
    ...newcomerFields(t),
    ...keyField(t),
  }),
});

const ReleaseRoomClaimInput = builder.inputType('ReleaseRoomClaimInput', {
  description: 'The claim to release.',
  fields: (t) => ({
    ...orgField(t),
    room: t.string({ description: 'A project’s id for its default room, or a label.' }),
    claim: t.id({ description: 'Claim, by global or native id.' }),
    ...keyField(t),
  }),
});

builder.mutationFields((t) => ({
  createRoomClaim: t.field({
    type: ClaimRef,
    nullable: true,
    ...fieldOf(createClaim),
    authScopes: { credential: true },
    args: { input: t.arg({ type: CreateRoomClaimInput, description: 'The claim.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, room, idempotencyKey, ttlSeconds, presenceId, sessionKey, requestedName, ...said } =
        dropNulls(input);
      const rest = dropNulls({
        ttl_seconds: ttlSeconds,
        presence_id: presenceId,
        session_key: sessionKey,
        requested_name: requestedName,
      });
      const { claim, holder } = await run(createClaim, keyed(ctx, idempotencyKey), {
        ...roomInput({ org, room }),
        ...said,
        ...rest,
      });
      return { ...claim, arrival: holder };
    },
  }),
  releaseRoomClaim: t.field({
    type: ClaimRef,
    nullable: true,
    ...fieldOf(releaseClaim),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ReleaseRoomClaimInput, description: 'The claim.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, room, claim, idempotencyKey } = dropNulls(input);
      const released = await run(releaseClaim, keyed(ctx, idempotencyKey), {
        ...roomInput({ org, room }),
        claim: nativeId('RoomClaim', claim),
      });
      return { ...released.claim, alreadyReleased: released.already };
    },
  }),
}));

const ClaimEventRef = builder.objectRef<ClaimEvent>('RoomClaimEvent').implement({
  description: 'Something was claimed or released. What runs out is not told of: see `expiresAt`.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    claim: t.field({
      ...sameForAll,
      type: ClaimRef,
      description: 'The claim as it was right after.',
      resolve: ({ change }) => claimOf(change),
    }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

builder.subscriptionField('roomClaims', (t) =>
  t.field({
    type: ClaimEventRef,
    description: 'What is claimed in a room, and released, from a cursor on; changes are kept for seven days.',
    ...followed,
    args: {
      ...roomArgs,
      ...followArgs,
      holder: t.arg.string({ required: false, description: 'Only claims of the presence of exactly this name.' }),
    },
    subscribe: (_root, { org, room, ...rest }, ctx) =>
      followClaims(ctx, { ...roomInput({ org, room }), ...dropNulls(rest) }),
    resolve: (event) => event,
  }),
);
