import { z } from 'zod';
import { type OrgScope, onOrg, onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { inOneEpoch } from '../../kernel/feeds/feeds.ts';
import { orgId, pageLimit, projectId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { eventCursor, openEventCursor, viewCursor, viewFilter, viewOf } from './event-view.ts';
import { readEvents } from './read-events.ts';
import { cursorOf, type EventPage, EventPageWire, pageToWire } from './wire.ts';

const page = {
  ...viewFilter,
  limit: pageLimit,
  order: z.enum(['asc', 'desc']).default('asc').describe('`desc` reads backwards.'),
  before: viewCursor.optional().describe('Only events before this cursor; backwards alone.'),
};
type Page = z.output<z.ZodObject<typeof page>>;

/** `GET /projects/v1/:project_id/events`. Contract 02, section 1.2. */
export const listProjectEvents = query({
  name: 'projects.listEvents',
  tool: 'list_project_events',
  command: 'events',
  summary: 'What happened in a project after a cursor, oldest first.',
  access: onProject(projectActions['project:read'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId, ...page }),
  handler: readInOneEpoch,
  wire: EventPageWire,
  toWire: pageToWire,
});

/** `GET /orgs/v1/:org_id/events`: all of its projects, and what concerns none of them. Contract 02, section 1.2. */
export const listOrgEvents = query({
  name: 'orgs.listEvents',
  tool: 'list_org_events',
  command: 'events --org',
  summary: 'What happened in an organization and all its projects after a cursor, oldest first.',
  access: onOrg(orgActions['org:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId, ...page }),
  handler: readInOneEpoch,
  wire: EventPageWire,
  toWire: pageToWire,
});

function readInOneEpoch(ctx: Context & (OrgScope | ProjectScope), page: Page): Promise<EventPage> {
  return inOneEpoch(ctx.services.keys, () => readPage(ctx, page));
}

async function readPage(
  ctx: Context & (OrgScope | ProjectScope),
  { limit, cursor, order, before, ...filter }: Page,
): Promise<EventPage> {
  const { keys, db } = ctx.services;
  const view = viewOf(ctx, filter);
  const asked = order === 'asc' ? cursor : before;
  const given = asked === undefined ? undefined : openEventCursor(keys, view, asked);
  // One row more than asked tells whether there are more.
  const slice = await readEvents(db, view, given, limit + 1, order);
  const found = slice.rows.slice(0, limit);
  // A page is in one order, whichever way it was read.
  const events = order === 'asc' ? found : found.toReversed();
  const reset = asked !== undefined && !slice.usable;
  const at = (position: bigint) => eventCursor(keys, view, position, slice);
  const last = events.at(-1);
  // The page itself begins there, unless it was read backwards from the newest.
  const earliest = !reset
    ? undefined
    : order === 'asc'
      ? events[0]
      : (await readEvents(db, view, undefined, 1, 'asc')).rows[0];
  return {
    view,
    events,
    // A view without events begins where the log stands, so that what comes next is not taken for gone.
    cursor: last !== undefined ? cursorOf(ctx, view, last) : asked !== undefined && !reset ? asked : at(slice.head),
    hasMore: slice.rows.length > limit,
    reset,
    earliestCursor: reset ? at(earliest === undefined ? slice.head : earliest.position - 1n) : undefined,
    incidents: slice.incidents,
    degraded: slice.degraded,
  };
}
