import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { sql } from '../../db/drizzle.ts';
import { contentPlans, type PlannedContent } from '../../db/schema/content.ts';
import { computed, pick, setOf, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { contentActions } from './shared/actions.ts';
import { keepContentLock } from './shared/content-lock.ts';
import { finishUpload, forgetUploadsStatement, promoteStatement, uploadsStatement } from './shared/finish-uploads.ts';
import { storing } from './shared/storing.ts';
import { type ContentOwner, useContent } from './shared/use-content.ts';

/** Objects that are checked and kept at a time. */
const finishedAtOnce = 8;

export interface CommittedContent {
  readonly planId: string;
  /** What the project holds since now. */
  readonly promoted: readonly PlannedContent[];
  /** Whether it was committed before. */
  readonly isRepeated: boolean;
}

interface Finished {
  readonly uploadIds: readonly string[];
  readonly content: readonly PlannedContent[];
  readonly promoted: readonly PlannedContent[];
}

/** `POST /content/v1/plans/:plan_id/commit`. Contract 03, section 2.1. */
export const commitContent = mutation({
  name: 'content.commit',
  summary: 'Check everything that was sent for a plan, and make it the project’s.',
  effects: ['idempotent'],
  access: onNamedOrOwnProject(contentActions['project:content:write']),
  lifecycle: 'gated',
  input: z.object({
    project: itsProject,
    plan: z.string().min(1).max(64).describe('The plan, `cplan_…`.'),
  }),
  // The bytes are hashed and put in their place before: the rows below are what makes them somebody's.
  async prepare({ services, org, project }, { plan: planId }): Promise<Finished> {
    const owner = { orgId: org.id, projectId: project.id };
    const [plan] = await services.db.rows(planStatement.with({ ...owner, id: planId }));
    if (plan === undefined) throw new ServiceError('PLAN_NOT_FOUND', { details: { plan_id: planId } });
    const { content } = plan;
    if (plan.committed) return { uploadIds: [], content: [], promoted: [] };
    if (plan.expired) throw new ServiceError('PLAN_EXPIRED', { details: { plan_id: planId } });
    const found = await services.db.rows(
      uploadsStatement.with({ ...owner, sha256s: content.map(({ sha256 }) => sha256) }),
    );
    const named = new Set(content.map(keyOf));
    const uploads = found.filter(({ sha256, size }) => named.has(keyOf({ sha256, size: Number(size) })));
    const incomplete = uploads.filter(({ arrived, partCount }) => arrived < partCount);
    if (incomplete.length > 0)
      throw new ServiceError('INVALID_STATE', {
        details: { missing: incomplete.slice(0, 100).map(({ sha256 }) => sha256) },
      });
    await storing(services, () => inParallel(uploads, finishedAtOnce, (upload) => finishUpload(services, upload)));
    return {
      uploadIds: uploads.map(({ id }) => id),
      content,
      promoted: uploads.map(({ sha256, size }) => ({ sha256, size: Number(size) })),
    };
  },
  async handler(work, { plan }, { uploadIds, content, promoted }): Promise<CommittedContent> {
    const owner: ContentOwner = { orgId: work.org.id, projectId: work.project.id };
    await work.rows(keepContentLock.with({}));
    await work.rows(promoteStatement.with({ ...owner, ids: uploadIds }));
    const held = await useContent(
      work.rows,
      owner,
      content.map(({ sha256 }) => sha256),
    );
    const missing = content.filter(({ sha256, size }) => held.get(sha256) !== size);
    // Another commit has found the bytes of the same upload to be wrong, or the collector took what was held.
    if (missing.length > 0)
      throw new ServiceError('INVALID_STATE', {
        details: { missing: missing.slice(0, 100).map(({ sha256 }) => sha256) },
      });
    await work.rows(forgetUploadsStatement.with({ ids: uploadIds }));
    const committed = await work.rows(committedStatement.with({ ...owner, id: plan }));
    return { planId: plan, promoted, isRepeated: committed.length === 0 };
  },
  audit: ({ planId, promoted, isRepeated }) =>
    isRepeated
      ? undefined
      : {
          action: 'content.committed',
          object: { kind: 'content_plan', id: planId },
          details: { objects: promoted.length, bytes: promoted.reduce((sum, { size }) => sum + size, 0) },
        },
  wire: z.object({
    plan_id: z.string(),
    committed: z.literal(true),
    promoted: z.array(z.object({ sha256: z.string(), size: z.number() })),
  }),
  toWire: ({ planId, promoted }) => ({ plan_id: planId, committed: true as const, promoted: [...promoted] }),
});

const keyOf = ({ sha256, size }: PlannedContent) => `${sha256} ${size}`;

const planStatement = statement(
  'content.find-plan',
  {
    params: pick(contentPlans, 'orgId', 'projectId', 'id'),
    row: {
      content: contentPlans.content,
      committed: computed<boolean>('boolean', sql`${contentPlans.committedAt} is not null`),
      expired: computed<boolean>('boolean', sql`${contentPlans.expiresAt} <= now()`),
    },
  },
  (given, row) => sql`select ${row} from ${contentPlans} where ${contentPlans.orgId} = ${given.orgId}
    and ${contentPlans.id} = ${given.id} and ${contentPlans.projectId} = ${given.projectId}`,
);

const committedStatement = statement(
  'content.committed',
  { params: pick(contentPlans, 'orgId', 'projectId', 'id'), row: pick(contentPlans, 'id') },
  (given, row) => sql`update ${contentPlans} ${setOf(contentPlans, { committedAt: sql`now()` })}
    where ${contentPlans.orgId} = ${given.orgId} and ${contentPlans.id} = ${given.id}
      and ${contentPlans.projectId} = ${given.projectId} and ${contentPlans.committedAt} is null returning ${row}`,
);
