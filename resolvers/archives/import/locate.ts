import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import type { PlannedContent } from '../../../db/schema/content.ts';
import { archiveLimits } from '../../../engines/archives/portable/format.ts';
import { readTar } from '../../../engines/archives/portable/tar-read.ts';
import { type ReadArchive, readArchive } from '../../../engines/archives/portable/verify.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { findOrgContent, storeForOrg } from '../../content/shared/org-uploads.ts';
import { sha256Text } from '../../content/shared/sha256-text.ts';
import { storing } from '../../content/shared/storing.ts';

/** Where an archive is: inputs of whatever looks at one. */
export const archivePlace = {
  archive_sha256: sha256Text
    .optional()
    .describe('SHA-256 of an archive that was uploaded: POST /archives/v1/uploads says how.'),
  archive_path: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe('A file below the folder of archives of this server, where its operator has set one (SVC_ARCHIVE_DIR).'),
};

export interface ArchivePlace {
  readonly archive_sha256?: string | undefined;
  readonly archive_path?: string | undefined;
}

/** Longest file that is looked at: more than an archive may hold, since a tar has heads. */
export const fileBytesMax = archiveLimits.expandedBytes + archiveLimits.files * 1_024 + 1024 * 1024;

type Ctx = Pick<Context, 'services' | 'signal'>;

/** An archive that was read where it lies. */
export interface LocatedArchive {
  readonly read: ReadArchive;
  /** In the store, where the organization holds it. */
  readonly content: PlannedContent | undefined;
}

/**
 * Reads an archive from where it is.
 *
 * @param orgId undefined for a caller whose organization is yet to be made, which holds nothing
 * @param keep whether the organization has to hold it afterwards, for whoever goes on with it
 * @throws VALIDATION_FAILED, ARCHIVE_UPLOAD_NOT_FOUND, ARCHIVE_PATH_NOT_FOUND
 */
export async function locate(
  ctx: Context,
  orgId: string | undefined,
  { archive_sha256: sha256, archive_path: path }: ArchivePlace,
  keep: boolean,
): Promise<LocatedArchive> {
  if ((sha256 === undefined) === (path === undefined))
    throw invalidField('archive_sha256', 'either it or archive_path has to be there');
  if (path !== undefined && !(keep && orgId !== undefined))
    return { read: await readFileAt(ctx, path), content: undefined };
  const content = path === undefined ? await held(ctx, orgId, sha256!) : await brought(ctx, orgId!, path);
  const chunks = await storing(ctx.services, () => ctx.services.objects.read(content.sha256));
  return { read: await readArchive(readTar(chunks), 'tar'), content };
}

async function held(ctx: Ctx, orgId: string | undefined, sha256: string): Promise<PlannedContent> {
  const size = orgId === undefined ? undefined : await findOrgContent(ctx, orgId, sha256);
  if (size === undefined) throw new ServiceError('ARCHIVE_UPLOAD_NOT_FOUND', { details: { sha256 } });
  return { sha256, size };
}

async function readFileAt(ctx: Ctx, path: string): Promise<ReadArchive> {
  const file = await openBelow(ctx, path);
  try {
    return await readArchive(readTar(file.createReadStream({ autoClose: false, start: 0 })), 'tar');
  } finally {
    await file.close();
  }
}

/** Has the organization hold a file of the operator's folder. Who changes it meanwhile is told so. */
async function brought(ctx: Context, orgId: string, path: string): Promise<PlannedContent> {
  const file = await openBelow(ctx, path);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, start: 0 })) {
      hash.update(chunk as Buffer);
      size += (chunk as Buffer).length;
      ctx.signal.throwIfAborted();
    }
    const content = { sha256: hash.digest('hex'), size };
    await storeForOrg(ctx, orgId, content, (start, end) =>
      createReadStream('', { fd: file, autoClose: false, start, end }),
    );
    return content;
  } finally {
    await file.close();
  }
}

/**
 * Opens a plain file below the folder that the operator has set. What leads out of it, by dots or by links, is as absent as
 * what is not there. @throws ARCHIVE_PATH_NOT_FOUND
 */
async function openBelow({ services }: Ctx, path: string) {
  const { archiveDir } = services.settings;
  const absent = () => new ServiceError('ARCHIVE_PATH_NOT_FOUND');
  if (archiveDir === undefined || path.includes('\0')) throw absent();
  const [folder, real] = await Promise.all([realpath(archiveDir), realpath(join(archiveDir, path))]).catch(() => {
    throw absent();
  });
  if (!real.startsWith(folder + sep)) throw absent();
  const file = await open(real, 'r').catch(() => {
    throw absent();
  });
  const found = await file.stat();
  if (found.isFile() && found.size <= fileBytesMax) return file;
  await file.close();
  throw absent();
}
