import { z } from 'zod';
import { execute } from '../../kernel/run/execute.ts';
import { listClaims } from '../../resolvers/rooms/claims/list-claims.ts';
import { joinRoom } from '../../resolvers/rooms/join-room.ts';
import { listPresences } from '../../resolvers/rooms/list-presences.ts';
import { wholeForm } from '../../rest-compat/openapi/json-schema.ts';
import type { Route } from '../../rest-compat/route.ts';
import { operationTool } from './operation-tool.ts';
import type { Tool } from './tool.ts';

const arrival = z
  .object({ org_id: z.string(), room_key: z.string(), you: joinRoom.wire })
  .and(listPresences.wire)
  .and(listClaims.wire);

/** A program that arrives is told who is there and what is claimed, too. Contract 02, section 2.9. */
export function joinTool(routes: readonly Route[]): Tool {
  const join = operationTool(joinRoom, 'join_room', routes);
  return {
    ...join,
    description:
      'Arrive in a room under a name, or come back by a session key; tells who is there and what they have claimed. Do this before working beside others.',
    output: wholeForm(arrival, 'output'),
    async run(run, args) {
      const you = (await join.run(run, args)) as z.output<typeof joinRoom.wire>;
      const { ctx } = run;
      const room = { org: args.org_id as string, room: args.room_key as string };
      const [presences, claims] = await Promise.all([
        execute(listPresences, ctx, room).then((found) => listPresences.toWire(found, ctx)),
        execute(listClaims, ctx, room).then((found) => listClaims.toWire(found, ctx)),
      ]);
      return { org_id: room.org, room_key: room.room, you, ...presences, ...claims };
    },
  };
}

/** A claim that says nothing else is exclusive. Contract 04, section 4.2.20. */
export function exclusively(tool: Tool): Tool {
  const { mode, ...others } = tool.input.properties;
  return {
    ...tool,
    input: {
      ...tool.input,
      properties: { ...others, mode: { ...mode, default: 'exclusive' } },
      required: tool.input.required.filter((name) => name !== 'mode'),
    },
    run: (run, args) => tool.run(run, { ...args, mode: args.mode ?? 'exclusive' }),
  };
}
