import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import {
  type Access,
  notAuthorized,
  type OrgScope,
  onOrg,
  onProject,
  type ProjectScope,
} from '../../kernel/access/access.ts';
import { orgAuthority, projectAuthority } from '../../kernel/access/authority.ts';
import type { AuthorityEntry } from '../../kernel/access/authority-watch.ts';
import { type Feed, inOneEpoch } from '../../kernel/feeds/feeds.ts';
import { orgId, projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { type EventView, openEventCursor, viewFilter, viewOf } from './event-view.ts';
import { eventsFeed } from './events-feed.ts';
import { type EventRow, readEvents } from './read-events.ts';

export interface OpenedEvents {
  readonly feed: Feed<EventRow>;
  readonly view: EventView;
  /** Where following begins. */
  readonly position: bigint;
  /** Where the log stood at that moment. */
  readonly head: bigint;
  /** The cursor could not be used: following begins at the earliest event that is kept. */
  readonly reset: boolean;
  readonly authority: AuthorityEntry;
}

interface Target {
  readonly org?: string | undefined;
  readonly project?: string | undefined;
}

const ofProject = onProject(projectActions['project:read'], ({ project }: Target) => project!);
const ofOrg = onOrg(orgActions['org:read'], ({ org }: Target) => org!);

const access: Access<Target, OrgScope | ProjectScope> = {
  action: projectActions['project:read'],
  addressed: ({ project }) => project,
  async authorise(ctx, caller, target, ahead) {
    const { org, project } = target;
    if (project === undefined) {
      if (org === undefined) throw invalidField('project', 'an organization or a project is followed');
      return ofOrg.authorise(ctx, caller, target, ahead);
    }
    const scope = await ofProject.authorise(ctx, caller, target, ahead);
    // Of another organization than was named: like a project that there is not.
    if (org !== undefined && org !== scope.org.id)
      throw notAuthorized(projectActions['project:read'], 'project_not_found');
    return scope;
  },
};

/** What a subscription begins with: the right to the view, and the place of its cursor. */
export const openEvents = query({
  name: 'events.open',
  command: 'events --watch',
  sdk: 'follow',
  follows: ['events'],
  summary: 'Begin to follow what happens in a project or an organization.',
  access,
  input: z.object({
    org: orgId.optional().describe('Organization that is followed with all its projects; or the owner of the project.'),
    project: projectId.optional().describe('Project that is followed.'),
    ...viewFilter,
  }),
  async handler(ctx, { org: _org, project: _project, cursor, ...filter }): Promise<OpenedEvents> {
    const { org, services } = ctx;
    const view = viewOf(ctx, filter);
    const { given, head, usable } = await inOneEpoch(services.keys, async () => {
      const given = cursor === undefined ? undefined : openEventCursor(services.keys, view, cursor);
      // No rows: they come with the following.
      return { given, ...(await readEvents(services.db, view, given, 0)) };
    });
    const caller = await ctx.caller();
    return {
      feed: eventsFeed(org.id),
      view,
      position: usable ? given!.position : 0n,
      head,
      reset: cursor !== undefined && !usable,
      authority:
        'project' in ctx
          ? projectAuthority(caller, org.id, ctx.project.id, projectActions['project:read'])
          : orgAuthority(caller, org.id),
    };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
