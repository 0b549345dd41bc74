import { isUuid } from '../core/ids.ts';
import type { Presence } from '../db/schema/rooms.ts';
import { archiveRoom, unarchiveRoom } from '../resolvers/rooms/archive-room.ts';
import { getRoom } from '../resolvers/rooms/get-room.ts';
import { joinRoom } from '../resolvers/rooms/join-room.ts';
import { listPresences } from '../resolvers/rooms/list-presences.ts';
import { listRooms } from '../resolvers/rooms/list-rooms.ts';
import { loadActiveClaims } from '../resolvers/rooms/load-active-claims.ts';
import { loadRoomLists, type RoomList } from '../resolvers/rooms/load-room-lists.ts';
import { loadPresences, loadRooms, type RoomAddress } from '../resolvers/rooms/load-rooms.ts';
import { openPresences } from '../resolvers/rooms/open-presences.ts';
import { projectOfRoom, type RoomSummary } from '../resolvers/rooms/room-summary.ts';
import type { PresenceResult } from '../resolvers/rooms/shared/presence.ts';
import { arrivalToWire } from '../resolvers/rooms/shared/wire.ts';
import { builder, pageArgs } from './builder.ts';
import { inOrder, sliceConnection } from './connection.ts';
import { followable, followFrom, followFromDescription } from './following.ts';
import { loaderOf } from './loader.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';
import { selectedBelow } from './selected.ts';

const PresenceStateEnum = builder.enumType('PresenceState', {
  description: 'Whether a presence is there.',
  values: {
    ACTIVE: { value: 'active', description: 'Heard of within the hour.' },
    EXPIRED: { value: 'expired', description: 'Silent for longer.' },
    LEFT: { value: 'left', description: 'Said goodbye.' },
  } as const,
});

/** A room's native id: both halves are free of slashes. */
export const addressOf = ({ orgId, key }: RoomAddress): string => `${orgId}/${key}`;

function parseAddress(id: string): RoomAddress {
  const [orgId = '', key = ''] = id.split('/', 2);
  return { orgId, key };
}

/** A presence, and how the call that answers it came by it. */
export interface ShownPresence extends Presence {
  readonly arrival?: PresenceResult;
}

/** A presence as the answer to a call shows it that has just found or made it. */
export const arrivedPresence = (arrival: PresenceResult): ShownPresence => ({ ...arrival.presence, arrival });

const PresenceResultRef = builder.objectRef<PresenceResult>('RoomArrival').implement({
  description: 'How a call came by a presence.',
  fields: (t) => ({
    resumed: t.boolean({
      description: 'Whether it was there before, under the same session key.',
      resolve: ({ how }) => how === 'resumed',
    }),
    requestedName: t.string({
      nullable: true,
      description: 'Name that was wanted, when the call made the presence; null when none was.',
      resolve: (arrival) => arrivalToWire(arrival).requested_name,
    }),
    renamed: t.boolean({
      nullable: true,
      description: 'Whether another name was given than was wanted; null when none was.',
      resolve: (arrival) => arrivalToWire(arrival).renamed,
    }),
    why: t.string({
      nullable: true,
      description: 'Why another name was given; null when none was.',
      resolve: (arrival) => arrivalToWire(arrival).why,
    }),
  }),
});

export const PresenceRef = builder.loadableNodeRef<ShownPresence, string>('RoomPresence', {
  id: { resolve: ({ id }) => id },
  load: async (ids, ctx) => inOrder(ids, await loadPresences(ctx, ids), ({ id }) => id) as Presence[],
  toKey: ({ id }) => id,
});

PresenceRef.implement({
  description: 'One session in one room, under a name that is never given to another.',
  fields: (t) => ({
    presenceId: t.exposeString('id', { description: 'Native id, `prs_…`.' }),
    name: t.exposeString('name', { description: 'Unique in the room for ever.' }),
    task: t.exposeString('task', { nullable: true, description: 'What it is doing.' }),
    program: t.exposeString('program', { nullable: true, description: 'Program that speaks.' }),
    model: t.exposeString('model', { nullable: true, description: 'Model that speaks.' }),
    state: t.expose('state', {
      type: PresenceStateEnum,
      description: 'Whether it is there; in a change, right after it.',
    }),
    arrival: t.field({
      type: PresenceResultRef,
      nullable: true,
      description: 'How the call came by it that answers it; null where it is merely looked at.',
      resolve: ({ arrival }) => arrival,
    }),
    activeClaims: t.int({
      description: 'How many claims of it stand.',
      resolve: ({ orgId, id }, _args, ctx) => activeClaimsOf(ctx).load({ orgId, id }),
    }),
    lastActive: t.expose('lastActive', { type: 'DateTime', description: 'When it was last heard of.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires unless it is heard of again.' }),
  }),
});

/** Of many presences in one statement. */
const activeClaimsOf = loaderOf(loadActiveClaims, ({ orgId, id }) => `${orgId} ${id}`);

export const PresenceConnection = builder.connectionObject({
  type: PresenceRef,
  name: 'RoomPresenceConnection',
  fields: (t) => ({
    cursor: t.string({
      nullable: true,
      description: `${followFromDescription} Null elsewhere than in a room.`,
      resolve: followFrom,
    }),
  }),
});

export const RoomRef = builder.loadableNodeRef<RoomSummary, string>('Room', {
  id: { resolve: addressOf },
  load: async (ids, ctx) => {
    const addresses = ids.map(parseAddress);
    const known = addresses.filter(({ orgId, key }) => isUuid(orgId) && key !== '');
    const rooms = await loadRooms(ctx, known);
    return inOrder(
      ids,
      rooms.filter((room) => room !== null),
      addressOf,
    ) as RoomSummary[];
  },
  toKey: addressOf,
});

const presencesInputs = inputsOf(listPresences, { omit: ['org', 'room'] });

RoomRef.implement({
  description: 'A place to talk: an organization and a key. It comes into being when somebody first writes to it.',
  fields: (t) => ({
    orgId: t.exposeString('orgId', { description: 'Organization that owns it, a UUID.' }),
    key: t.exposeString('key', { description: 'A project’s id for its default room, or a label.' }),
    livePresences: t.exposeInt('livePresences', { description: 'How many presences are there now.' }),
    lastActivityAt: t.expose('lastActivityAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Newest sign of life; null for a room nobody has used.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was archived; null while it takes messages and claims.',
    }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The owner; null for a caller that reaches the room without being a member.',
      resolve: ({ orgId }) => orgId,
    }),
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'The project whose default room it is; null for a named room.',
      resolve: ({ key }) => projectOfRoom(key),
    }),
    presences: t.field({
      type: PresenceConnection,
      ...fieldOf(listPresences),
      args: { ...pageArgs, ...presencesInputs.args },
      resolve: ({ orgId, key }, args, ctx, info) => {
        const room = { org: orgId, room: key };
        const open = selectedBelow(info, '').has('cursor') ? () => run(openPresences, ctx, room) : undefined;
        return followable(ctx, open, async () => {
          const presences = await run(listPresences, ctx, { ...room, ...presencesInputs.read(args) });
          return sliceConnection<Presence>(presences, ({ id }) => id, args);
        });
      },
    }),
  }),
});

const RoomConnection = builder.connectionObject({ type: RoomRef, name: 'RoomConnection' });

builder.objectField(ProjectRef, 'defaultRoom', (t) =>
  t.field({
    type: RoomRef,
    description: 'The room that every project has.',
    // The caller sees the project and may not reach its room, as the platform admin: the operation says why.
    resolve: async ({ orgId, id }, _args, ctx) =>
      (await RoomRef.getDataloader(ctx).load(addressOf({ orgId, key: id }))) ??
      run(getRoom, ctx, { org: orgId, room: id }),
  }),
);

/** Rooms of several organizations in one statement, however many ask. */
const roomListsOf = loaderOf(
  (ctx, keys: readonly (RoomList & { readonly live: boolean })[]) =>
    loadRoomLists(
      ctx,
      keys,
      keys.some(({ live }) => live),
    ),
  ({ orgId, archived, live }) => `${orgId} ${archived} ${live}`,
);

const roomsInputs = inputsOf(listRooms, { omit: ['org'] });

builder.objectField(OrganizationRef, 'rooms', (t) =>
  t.field({
    type: RoomConnection,
    ...fieldOf(listRooms),
    args: { ...pageArgs, ...roomsInputs.args },
    resolve: async ({ id }, page, ctx, info) => {
      const { archived = null } = roomsInputs.read(page);
      const live = selectedBelow(info, 'edges.node').has('livePresences');
      const rooms = await roomListsOf(ctx).load({ orgId: id, archived, live });
      return sliceConnection(
        rooms ?? (await run(listRooms, ctx, { org: id, archived: archived ?? undefined })),
        addressOf,
        page,
      );
    },
  }),
);

// Delegates and service keys reach rooms without seeing the organization they are in.
readField('rooms', listRooms, {
  type: RoomConnection,
  paged: true,
  result: (rooms, page) => sliceConnection(rooms, addressOf, page),
});

readField('room', getRoom, { type: RoomRef });

changeField('joinRoom', joinRoom, {
  type: PresenceRef,
  input: 'Which room to join, and how to be seen there.',
  argument: 'Where and how to join.',
  result: arrivedPresence,
});

changeField('archiveRoom', archiveRoom, {
  type: RoomRef,
  input: 'Which room to archive.',
  argument: 'Which room.',
  result: ({ room }) => room,
});

changeField('unarchiveRoom', unarchiveRoom, {
  type: RoomRef,
  input: 'Which room to unarchive.',
  argument: 'Which room.',
  result: ({ room }) => room,
});
