import type { Readable } from 'node:stream';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { contentParts, contentUploads } from '../../db/schema/content.ts';
import { excluded, insertInto, namesOf, pick, setOf, statement } from '../../db/sql.ts';
import type { Services } from '../../kernel/run/context.ts';
import { partAt } from './part-layout.ts';
import { storing } from './shared/storing.ts';
import { isPartUrl } from './upload-url.ts';

/** A part that arrives. */
export interface ArrivingPart {
  readonly uploadId: string;
  /** As the address says, unchecked, as are the two below. */
  readonly number: string;
  readonly expires: string;
  readonly token: string;
  /** SHA-256 of the part, in base64, where the client says it. */
  readonly checksum: string | undefined;
  /** Length that the client announces, in bytes; undefined: it does not. */
  readonly announced: number | undefined;
  readonly body: Readable;
}

/**
 * Stages a part of an object. Parts may come in any order and again, on any node; the last one counts.
 *
 * @returns the entity tag of the part, with its quotes
 * @throws UPLOAD_URL_INVALID, UPLOAD_NOT_FOUND, CONTENT_LENGTH_MISMATCH, CONTENT_CHECKSUM_MISMATCH, STORAGE_UNAVAILABLE
 */
export async function receivePart(services: Services, part: ArrivingPart): Promise<string> {
  if (!isPartUrl(services, part)) throw new ServiceError('UPLOAD_URL_INVALID');
  return takePart(services, part);
}

/**
 * Stages a part of an object, from whomever it comes.
 *
 * @returns the entity tag of the part, with its quotes
 * @throws UPLOAD_NOT_FOUND, CONTENT_LENGTH_MISMATCH, CONTENT_CHECKSUM_MISMATCH, STORAGE_UNAVAILABLE
 */
export async function takePart(services: Services, part: Omit<ArrivingPart, 'expires' | 'token'>): Promise<string> {
  const { db, objects } = services;
  const [upload] = await db.rows(findStatement.with({ id: part.uploadId }));
  if (upload === undefined) throw new ServiceError('UPLOAD_NOT_FOUND', { details: { upload_id: part.uploadId } });
  const number = Number(part.number);
  const size = Number(upload.size);
  const layout = { partSize: Number(upload.partSize), partCount: upload.partCount };
  const at = partAt(size, layout, number);
  const wrongLength = () =>
    new ServiceError('CONTENT_LENGTH_MISMATCH', { details: { part_number: number, expected: at.size } });
  if (part.announced !== undefined && part.announced !== at.size) throw wrongLength();
  const { id } = upload;
  const outcome = await storing(services, () =>
    objects.putPart({ id, size }, { number, size: at.size, sha256: part.checksum }, part.body),
  );
  if (outcome === 'wrong_length') throw wrongLength();
  if (outcome === 'wrong_checksum')
    throw new ServiceError('CONTENT_CHECKSUM_MISMATCH', { details: { part_number: number } });
  await db.rows(arrivedStatement.with({ uploadId: id, number, etag: outcome.etag }));
  return `"${outcome.etag}"`;
}

const findStatement = statement(
  'content.find-upload',
  {
    params: pick(contentUploads, 'id'),
    row: pick(contentUploads, 'id', 'size', 'partSize', 'partCount'),
  },
  ({ id }, row) => sql`select ${row} from ${contentUploads}
    where ${contentUploads.id} = ${id} and ${contentUploads.expiresAt} > now()`,
);

const arrivedStatement = statement(
  'content.part-arrived',
  { params: pick(contentParts, 'uploadId', 'number', 'etag') },
  (given) => sql`${insertInto(contentParts, given)}
    on conflict (${namesOf(contentParts.uploadId, contentParts.number)})
    do update ${setOf(contentParts, { etag: excluded(contentParts.etag), arrivedAt: sql`now()` })}`,
);
