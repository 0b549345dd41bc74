import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { aiAddons } from '../../db/schema/ai.ts';
import { nameOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { currentCycle, currentlyUsed } from './shared/addon.ts';

/** Words of a cycle unless the admin says otherwise. */
const includedWords = { usual: 100_000, most: 100_000_000 } as const;

const addon = z.enum(['translation']).describe('The add-on: `translation`.');

export interface ChangedAddon {
  readonly orgId: string;
  readonly projectId: string;
  readonly changed: boolean;
}

const done = {
  wire: z.object({ status: z.literal('ok') }),
  toWire: () => ({ status: 'ok' as const }),
};

/** `POST /ai/v1/addons`: what an active one includes may be changed, and what is used of the cycle stays. Contract 04, section 3.2. */
export const activateAddon = mutation({
  name: 'ai.activateAddon',
  tool: 'admin_activate_ai_addon',
  command: 'admin ai-addon activate',
  effects: ['idempotent'],
  summary: 'Let a project translate so many words in each cycle of 30 days.',
  access: platformAdmin(),
  input: z.object({
    project: projectId,
    addon,
    included_words: z
      .int()
      .min(0)
      .max(includedWords.most)
      .optional()
      .describe('Words of a cycle; 100,000 unless told.'),
  }),
  async handler(work, { project, included_words: included = includedWords.usual }): Promise<ChangedAddon> {
    const owner = await projectOf(work, project);
    const changed = await work.rows(activateStatement.with({ projectId: project, includedWords: included }));
    return { ...owner, changed: changed.length > 0 };
  },
  audit: ({ orgId, projectId: id, changed }, { addon: name, included_words: included = includedWords.usual }) =>
    changed
      ? {
          action: 'ai.addon_activated',
          object: { kind: 'project', id },
          orgId,
          details: { addon: name, included_words: included },
        }
      : undefined,
  ...done,
});

/** `DELETE /ai/v1/addons`. Contract 04, section 3.2. */
export const deactivateAddon = mutation({
  name: 'ai.deactivateAddon',
  tool: 'admin_deactivate_ai_addon',
  command: 'admin ai-addon deactivate',
  effects: ['destructive', 'idempotent'],
  summary: 'Let a project translate no more.',
  access: platformAdmin(),
  input: z.object({ project: projectId, addon }),
  async handler(work, { project }): Promise<ChangedAddon> {
    const owner = await projectOf(work, project);
    const changed = await work.rows(deactivateStatement.with({ projectId: project }));
    return { ...owner, changed: changed.length > 0 };
  },
  audit: ({ orgId, projectId: id, changed }, { addon: name }) =>
    changed
      ? { action: 'ai.addon_deactivated', object: { kind: 'project', id }, orgId, details: { addon: name } }
      : undefined,
  ...done,
});

async function projectOf(work: Work, id: string) {
  const project = await lockProject(work, id);
  if (project === undefined) throw new ServiceError('PROJECT_NOT_FOUND', { details: { project_id: id } });
  return { orgId: project.orgId, projectId: id };
}

const activateStatement = statement(
  'ai.activate-addon',
  {
    params: { ...pick(aiAddons, 'projectId'), includedWords: typed<number>('integer') },
    row: pick(aiAddons, 'projectId'),
  },
  ({ projectId: project, includedWords: words }, row) => sql`insert into ${aiAddons}
      (project_id, addon, active, included_words) values (${project}, 'translation', true, ${words}::int)
    on conflict (project_id, addon) do update ${setOf(aiAddons, {
      active: sql`true`,
      includedWords: sql`excluded.${nameOf(aiAddons.includedWords)}`,
      usedWords: currentlyUsed,
      cycleStart: currentCycle,
    })} where not ${aiAddons.active} or ${aiAddons.includedWords} <> excluded.${nameOf(aiAddons.includedWords)}
    returning ${row}`,
);

const deactivateStatement = statement(
  'ai.deactivate-addon',
  { params: pick(aiAddons, 'projectId'), row: pick(aiAddons, 'projectId') },
  ({ projectId: project }, row) => sql`update ${aiAddons} ${setOf(aiAddons, { active: sql`false` })}
    where ${aiAddons.projectId} = ${project} and ${aiAddons.addon} = 'translation' and ${aiAddons.active}
    returning ${row}`,
);

export const forgetAddons = statement(
  'ai.forget-addons',
  { params: pick(aiAddons, 'projectId') },
  ({ projectId: project }) => sql`delete from ${aiAddons} where ${aiAddons.projectId} = ${project}`,
);
