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
import { loaderOf } from './loader.ts';
import { changeField, fieldOf, inputsOf } from './operation-field.ts';
import { addressOf, arrivedPresence, PresenceRef, RoomRef } from './rooms.ts';
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

const claimsInputs = inputsOf(listClaims, { omit: ['org', 'room'] });

builder.objectField(RoomRef, 'claims', (t) =>
  t.field({
    type: ClaimConnection,
    ...fieldOf(listClaims),
    args: { ...pageArgs, ...claimsInputs.args },
    resolve: ({ orgId, key }, args, ctx, info) => {
      const room = { org: orgId, room: key };
      const open = selectedBelow(info, '').has('cursor') ? () => run(openClaims, ctx, room) : undefined;
      return followable(ctx, open, async () =>
        sliceConnection(await run(listClaims, ctx, { ...room, ...claimsInputs.read(args) }), ({ id }) => id, args),
      );
    },
  }),
);

changeField('createRoomClaim', createClaim, {
  type: ClaimRef,
  input: 'What is claimed, where, and by whom.',
  argument: 'The claim.',
  types: { mode: ClaimModeEnum },
  result: ({ claim, holder }) => ({ ...claim, arrival: holder }),
});

changeField('releaseRoomClaim', releaseClaim, {
  type: ClaimRef,
  input: 'The claim to release.',
  argument: 'The claim.',
  ids: { claim: 'RoomClaim' },
  result: ({ claim, already }) => ({ ...claim, alreadyReleased: already }),
});

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

const opened = inputsOf(openClaims, { omit: ['cursor'] });

builder.subscriptionField('roomClaims', (t) =>
  t.field({
    type: ClaimEventRef,
    description: 'What is claimed in a room, and released, from a cursor on; changes are kept for seven days.',
    ...followed,
    args: {
      ...opened.args,
      ...followArgs,
      holder: t.arg.string({ required: false, description: 'Only claims of the presence of exactly this name.' }),
    },
    subscribe: (_root, { after, first, holder, ...room }, ctx) =>
      followClaims(ctx, { ...opened.read(room), ...dropNulls({ after, first, holder }) }),
    resolve: (event) => event,
  }),
);
