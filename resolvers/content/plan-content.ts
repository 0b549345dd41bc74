import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { contentPlans, contentUploads, type PlannedContent } from '../../db/schema/content.ts';
import { computed, insertInto, pick, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject, type ProjectScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { anonStagedBytes, contentPerPlan, limitsOf } from '../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../kernel/limits/quota.ts';
import { storageOfOrg } from '../../kernel/limits/storage.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { arrivedOf } from './arrived-parts.ts';
import { objectBytesMax } from './part-layout.ts';
import { contentActions } from './shared/actions.ts';
import { keepContentLock } from './shared/content-lock.ts';
import { sha256Text } from './shared/sha256-text.ts';
import { type MissingContent, missingOf, planHours, stageUploads, UploadPartWire } from './shared/stage-uploads.ts';
import { useContent } from './shared/use-content.ts';

export interface ContentPlan {
  readonly planId: string;
  readonly expiresAt: Date;
  readonly missing: readonly MissingContent[];
  readonly entries: readonly { readonly sha256: string; readonly missing: boolean }[];
}

/** `POST /content/v1/plans`. Contract 03, section 2.1. */
export const planContent = mutation({
  name: 'content.plan',
  summary: 'Say which bytes a deploy needs, and learn where to send those that the project does not hold.',
  access: onNamedOrOwnProject(contentActions['project:content:write']),
  lifecycle: 'gated',
  input: z.object({
    project: itsProject,
    content: z
      .array(
        z.object({
          sha256: sha256Text.describe('SHA-256 of the bytes, in lower-case hexadecimal digits.'),
          size: z.int().min(0).max(objectBytesMax).describe('Length in bytes, at most 5 TiB.'),
          content_type: z.string().max(255).optional().describe('A media type, as a hint.'),
        }),
      )
      .min(1)
      .max(contentPerPlan)
      .describe(`The objects, at most ${contentPerPlan}.`)
      .meta({
        examples: [[{ sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', size: 5 }]],
      }),
  }),
  prepare: ({ services, org }) => storageOfOrg(services, org.id),
  async handler(work, { content }, stored): Promise<ContentPlan> {
    const { services, org, project } = work;
    await work.rows(keepContentLock.with({}));
    await lockProjectFor(work, contentActions['project:content:write']);
    const owner = { orgId: org.id, projectId: project.id };
    const wanted = distinct(content);
    const held = await useContent(
      work.rows,
      owner,
      wanted.map(({ sha256 }) => sha256),
    );
    const isHeld = ({ sha256, size }: PlannedContent) => held.get(sha256) === size;
    const missing = wanted.filter((one) => !isHeld(one));
    const uploads = missing.length === 0 ? [] : await stage(work, missing, stored);
    const arrived = await arrivedOf(
      work,
      uploads.map(({ id }) => id),
    );
    const plan = { ...owner, id: services.newId('cplan'), content: JSON.stringify(wanted) };
    const [written] = await work.rows(insertPlanStatement.with(plan));
    return {
      planId: plan.id,
      expiresAt: written!.expiresAt,
      missing: missingOf(work, uploads, arrived),
      entries: content.map((one) => ({ sha256: one.sha256, missing: !isHeld(one) })),
    };
  },
  audit: ({ planId, entries, missing }) => ({
    action: 'content.planned',
    object: { kind: 'content_plan', id: planId },
    details: { objects: entries.length, missing: missing.length },
  }),
  wire: z.object({
    plan_id: z.string(),
    expires_at: z.iso.datetime(),
    missing: z.array(
      z.object({
        sha256: z.string(),
        mode: z.enum(['single', 'multipart']),
        upload_id: z.string(),
        staging_key: z.string(),
        part_size_bytes: z.number(),
        part_count: z.int(),
        expires_at: z.iso.datetime(),
        parts: z.array(UploadPartWire),
      }),
    ),
    entries: z.array(z.object({ sha256: z.string(), missing: z.boolean() })),
  }),
  toWire: ({ planId, expiresAt, missing, entries }) => ({
    plan_id: planId,
    expires_at: expiresAt.toISOString(),
    missing: missing.map(({ sha256, uploadId, partSize, parts, urlsExpireAt }) => ({
      sha256,
      mode: parts.length === 1 ? ('single' as const) : ('multipart' as const),
      upload_id: uploadId,
      staging_key: uploadId,
      part_size_bytes: partSize,
      part_count: parts.length,
      expires_at: urlsExpireAt.toISOString(),
      parts: parts.map(({ number, url, start, end, arrived }) => ({
        part_number: number,
        url,
        byte_start: start,
        byte_end: end,
        arrived,
      })),
    })),
    entries: [...entries],
  }),
});

/** One object once, however often it is named. */
const distinct = (content: readonly PlannedContent[]): PlannedContent[] => [
  ...new Map(content.map(({ sha256, size }) => [`${sha256} ${size}`, { sha256, size }])).values(),
];

/**
 * Takes up the uploads of what is missing, or goes on with those that are under way.
 *
 * @param stored bytes that the organization's projects hold
 * @throws QUOTA_EXCEEDED
 */
async function stage(work: Work & ProjectScope, missing: readonly PlannedContent[], stored: number) {
  const { org, project, authority } = work;
  const owner = { orgId: org.id, projectId: project.id };
  const uploads = await stageUploads(work, owner, missing);
  const [staged] = await work.rows(stagedStatement.with(owner));
  const limit = limitsOf(org).storageBytes;
  if (stored + Number(staged!.ofOrg) > limit)
    throw quotaExceeded({ scope: 'organization', metric: 'storage_bytes' }, limit, stored);
  if (authority.kind === 'anon_key' && Number(staged!.ofProject) > anonStagedBytes)
    throw quotaExceeded({ scope: 'project', metric: 'staged_bytes' }, anonStagedBytes, Number(staged!.ofProject));
  return uploads;
}

const insertPlanStatement = statement(
  'content.insert-plan',
  { params: pick(contentPlans, 'orgId', 'id', 'projectId', 'content'), row: pick(contentPlans, 'expiresAt') },
  (given, row) =>
    sql`${insertInto(contentPlans, {
      ...given,
      expiresAt: sql`now() + make_interval(hours => ${sql.raw(String(planHours))})`,
    })} returning ${row}`,
);

const sum = sql`sum(${contentUploads.size})`;

const stagedStatement = statement(
  'content.staged',
  {
    params: pick(contentUploads, 'orgId', 'projectId'),
    row: {
      ofOrg: computed<bigint>('bigint', sql`coalesce(${sum}, 0)::bigint`),
      ofProject: computed<bigint>('bigint', sql`coalesce(sum(own.size), 0)::bigint`),
    },
  },
  (given, row) => sql`select ${row} from ${contentUploads}
    left join ${contentUploads} own on own.id = ${contentUploads.id} and own.project_id = ${given.projectId}
    where ${contentUploads.orgId} = ${given.orgId}`,
);
