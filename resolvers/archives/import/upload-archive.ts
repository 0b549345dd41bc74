import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import type { PlannedContent } from '../../../db/schema/content.ts';
import type { OrgScope } from '../../../kernel/access/access.ts';
import { principalIdOf } from '../../../kernel/access/caller.ts';
import { orgId } from '../../../kernel/input/fields.ts';
import { refuseOverStorage } from '../../../kernel/limits/storage.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { finishOrgUpload, planOrgUpload, refuseOverOrgUploads } from '../../content/shared/org-uploads.ts';
import { sha256Text } from '../../content/shared/sha256-text.ts';
import { type MissingContent, UploadPartWire } from '../../content/shared/stage-uploads.ts';
import { findOrCreateOwnOrg } from '../../orgs/shared/own-org.ts';
import { archiveActions } from '../shared/actions.ts';
import { onImportingOrg } from './import-archive.ts';
import { fileBytesMax } from './locate.ts';

/** Where the parts of an archive are sent to. */
export interface ArchiveUpload {
  readonly orgId: string;
  readonly sha256: string;
  readonly size: number;
  /** Undefined: the organization holds it already. */
  readonly missing: MissingContent | undefined;
}

const itsOrg = orgId
  .optional()
  .describe('Organization that the project is to be made in; the wallet’s own when absent.');

/** `POST /archives/v1/uploads`: an addition to contract 03, section 8.5. */
export const planArchiveUpload = mutation({
  name: 'archives.planUpload',
  tool: 'plan_archive_upload',
  summary: 'Learn where to send the bytes of an archive that is about to be imported. They are kept for a day.',
  path: 'POST /archives/v1/uploads 201',
  access: onImportingOrg,
  lifecycle: 'gated',
  input: z.object({
    org_id: itsOrg,
    sha256: sha256Text.describe('SHA-256 of the file, in lower-case hexadecimal digits.'),
    size: z.int().min(1).max(fileBytesMax).describe('Length of the file, in bytes.'),
  }),
  async prepare({ services, org }, { size }) {
    if (org !== undefined) await refuseOverStorage(services, org, size, 'The archive');
  },
  async handler(work, { sha256, size }): Promise<ArchiveUpload> {
    const { org } =
      work.org === undefined
        ? await findOrCreateOwnOrg(work, principalIdOf(await work.caller())!, archiveActions['org:archives:import'])
        : (work as OrgScope);
    const content: PlannedContent = { sha256, size };
    await refuseOverOrgUploads(work, org, content);
    return { orgId: org.id, ...content, missing: await planOrgUpload(work, org.id, content) };
  },
  audit: ({ orgId: org, sha256, size }) => ({
    action: 'archive.upload_planned',
    object: { kind: 'archive_upload', id: sha256 },
    orgId: org,
    details: { size },
  }),
  wire: z
    .object({
      org_id: z.uuid(),
      sha256: z.string(),
      size: z.int(),
      is_held: z.boolean().describe('Whether it is there already, so that nothing has to be sent.'),
      parts: z.array(UploadPartWire),
    })
    .meta({ id: 'ArchiveUpload' }),
  toWire: ({ orgId: org, sha256, size, missing }) => ({
    org_id: org,
    sha256,
    size,
    is_held: missing === undefined,
    parts: (missing?.parts ?? []).map(({ number, url, start, end, arrived }) => ({
      part_number: number,
      url,
      byte_start: start,
      byte_end: end,
      arrived,
    })),
  }),
});

/** `POST /archives/v1/uploads/commit`. */
export const commitArchiveUpload = mutation({
  name: 'archives.commitUpload',
  tool: 'commit_archive_upload',
  summary: 'Check the bytes of an archive that were sent, and keep them for a day.',
  effects: ['idempotent'],
  path: 'POST /archives/v1/uploads/commit',
  access: onImportingOrg,
  lifecycle: 'gated',
  input: z.object({ org_id: itsOrg, sha256: sha256Text.describe('SHA-256 of the file that was planned.') }),
  async prepare(ctx, { sha256 }): Promise<PlannedContent> {
    const size = ctx.org === undefined ? undefined : await finishOrgUpload(ctx, ctx.org.id, sha256);
    if (size === undefined) throw new ServiceError('ARCHIVE_UPLOAD_NOT_FOUND', { details: { sha256 } });
    if (size > fileBytesMax) throw invalidField('size', 'is more than an archive may have');
    return { sha256, size };
  },
  handler: async (_work, _input, kept): Promise<PlannedContent> => kept,
  audit: ({ sha256, size }) => ({
    action: 'archive.uploaded',
    object: { kind: 'archive_upload', id: sha256 },
    details: { size },
  }),
  wire: z.object({ sha256: z.string(), size: z.int(), committed: z.literal(true) }),
  toWire: ({ sha256, size }) => ({ sha256, size, committed: true as const }),
});
