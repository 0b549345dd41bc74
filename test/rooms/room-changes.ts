import { onTestFinished } from 'vitest';
import { openProtocolSocket, type ProtocolMessage } from '../graphql/protocol-socket.ts';
import type { Actor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** Longer than anything it waits for takes; what is proven is that it happens at all. */

/** The two feeds of changes in a room, and what tests select of them. */
export const changeFields = {
  roomPresences: 'cursor reset presence { name state task }',
  roomClaims: 'cursor reset claim { resource holder state releasedAt }',
} as const;

export type ChangeField = keyof typeof changeFields;

export interface Change {
  readonly cursor: string;
  readonly reset: boolean;
  readonly presence?: { readonly name: string; readonly state: string; readonly task: string | null };
  readonly claim?: { readonly resource: string; readonly holder: string; readonly state: string };
}

const declared = { after: 'String', first: 'Int', name: 'String', holder: 'String' } as const;
export type FollowArgs = { readonly [Name in keyof typeof declared]?: string | number };

/** A room that tests follow, and who may do so unless another is named. */
interface FollowedRoom {
  readonly orgId: string;
  readonly wallet: Actor;
}

/** Follows one of the feeds in the room `standup` of an organization, until the test is over. */
export const followsOf =
  (service: Service, field: ChangeField) =>
  ({ orgId, wallet }: FollowedRoom, args: FollowArgs = {}, actor = wallet) =>
    followChanges(service, actor, field, { org: orgId, room: 'standup' }, args);

/** Somebody who follows changes on a socket of its own, until the test is over. */
export async function followChanges(
  service: Service,
  actor: Actor,
  field: ChangeField,
  room: { readonly org: string; readonly room: string },
  args: FollowArgs = {},
) {
  const socket = await (await openProtocolSocket(service.url)).init(await actor.headers('/graphql'));
  onTestFinished(() => socket.socket.terminate());
  const names = Object.keys(args) as (keyof typeof declared)[];
  const variables = names.map((name) => `, $${name}: ${declared[name]}`).join('');
  const given = names.map((name) => `, ${name}: $${name}`).join('');
  socket.subscribe(
    'follow',
    `subscription ($org: ID!, $room: String!${variables}) { ${field}(org: $org, room: $room${given}) { ${changeFields[field]} } }`,
    { variables: { ...room, ...args } },
  );
  const nexts = (): ProtocolMessage[] => socket.seen.filter(({ id, type }) => id === 'follow' && type === 'next');
  const changes = (): Change[] => nexts().flatMap(({ payload }) => payload.data?.[field] ?? []);
  return {
    socket,
    changes,
    /** What is told, as `name STATE` or `resource STATE`, once there are so many. */
    told: (count: number): Promise<string[]> =>
      until(() => {
        if (changes().length < count) throw new Error(`${changes().length} of ${count}: ${JSON.stringify(nexts())}`);
        return changes().map(
          ({ presence, claim }) => `${presence?.name ?? claim?.resource} ${(presence ?? claim)!.state}`,
        );
      }),
    /** The code of the refusal it ends with. */
    async refusal(): Promise<string> {
      await socket.next('complete', 'follow');
      return nexts().at(-1)?.payload.errors?.[0]?.extensions.code;
    },
  };
}
