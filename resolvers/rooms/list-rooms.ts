import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { rooms } from '../../db/schema/rooms.ts';
import { statement, typed } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { isProjectRoom, roomStands } from '../../kernel/access/rules.ts';
import { orgId, yesOrNo } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { isArchivedAs, type RoomSummary, RoomSummaryWire, roomToWire, summaryOf } from './room-summary.ts';
import { roomActions } from './shared/actions.ts';

/** `GET /orgs/v1/:org_id/rooms`. Contract 02, section 2.1. */
export const listRooms = query({
  name: 'rooms.list',
  tool: 'list_rooms',
  command: 'rooms list',
  summary: 'The rooms the caller can reach that somebody has used, newest activity first.',
  path: 'GET /orgs/v1/:org_id/rooms',
  access: onOrg(roomActions['room:list'], ({ org }: { org: string }) => org),
  input: z.object({
    org: orgId,
    archived: yesOrNo.optional().describe('`true`: only archived rooms; `false`: only others. All when absent.'),
  }),
  async handler(ctx, { archived = null }): Promise<RoomSummary[]> {
    const caller = await ctx.caller();
    // A delegate reaches its projects' rooms and every named one; a service key its own project's alone.
    const projects =
      caller.kind === 'delegate' ? caller.projectIds : caller.kind === 'project_key' ? [caller.projectId] : null;
    const named = caller.kind !== 'project_key';
    return ctx.services.db.rows(roomsStatement.with({ org: ctx.org.id, projects, named, archived }));
  },
  wire: z.object({ rooms: z.array(RoomSummaryWire) }),
  toWire: (rooms) => ({ rooms: rooms.map(roomToWire) }),
});

const roomsStatement = statement(
  'rooms.list',
  {
    params: {
      org: rooms.orgId,
      projects: typed<readonly string[] | null>('text[]'),
      named: typed<boolean>('boolean'),
      archived: typed<boolean | null>('boolean'),
    },
    row: summaryOf(),
    pipelined: true,
  },
  ({ org, projects, named, archived }, row) => sql`select ${row} from ${rooms}
    where ${rooms.orgId} = ${org} and ${roomStands(rooms.orgId, rooms.key)} and ${isArchivedAs(archived)}
      and case when ${isProjectRoom(rooms.key)}
        then ${projects}::text[] is null or ${rooms.key} = any(${projects}) else ${named}::boolean end
    order by "lastActivityAt" desc nulls last, ${rooms.key}`,
);
