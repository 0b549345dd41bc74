import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { projectAuthority } from '../../kernel/access/authority.ts';
import type { AuthorityEntry } from '../../kernel/access/authority-watch.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { liveTables } from './live-input.ts';

export interface OpenedLive {
  readonly target: ProjectTarget;
  readonly tables: readonly string[];
  readonly authority: AuthorityEntry;
}

/** What a subscription to hints begins with. They tell keys of all rows, so whoever may read these may follow. */
export const openLive = query({
  name: 'projects.openLive',
  command: 'live',
  sdk: 'followLive',
  follows: ['liveHints'],
  summary: 'Begin to follow what changes in a project’s live tables.',
  access: onProject(projectActions['project:sql'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId, tables: liveTables }),
  async handler(ctx, { tables }): Promise<OpenedLive> {
    const target = await findProjectTarget(ctx.services, ctx.project.id);
    const authority = projectAuthority(await ctx.caller(), ctx.org.id, ctx.project.id, projectActions['project:sql']);
    return { target, tables, authority };
  },
  wire: z.object({ tables: z.array(z.string()) }),
  toWire: ({ tables }) => ({ tables: [...tables] }),
});
