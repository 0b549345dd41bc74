import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { bodyBytes } from '../body-bytes.ts';
import type { Connection } from '../connection.ts';
import { contentFile } from '../content-file.ts';
import { sendPart } from '../content-part.ts';
import { localError, SvcError } from '../errors.ts';
import {
  archives,
  type DownloadInput,
  type GetAnswer,
  type GetInput,
  type ImportAnswer,
  type ImportInput,
} from '../namespaces/archives.ts';
import { base64Of, sha256Of } from '../sha256.ts';
import { writeWhole } from './whole-file.ts';

export interface WaitOptions {
  /** How often it is looked at, in milliseconds. @default 1_000 */
  readonly pollEveryMs?: number | undefined;
  /** How long it is waited for, in milliseconds. @default 600_000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Waits until an archive is ready. @throws SvcError ARCHIVE_EXPORT_FAILED, ARCHIVE_WAIT_TIMEOUT */
export async function waitForArchive(
  connection: Connection,
  input: GetInput,
  { pollEveryMs = 1_000, timeoutMs = 600_000, signal }: WaitOptions = {},
): Promise<GetAnswer> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = await archives(connection).get(input, { signal });
    if (found.status === 'ready') return found;
    if (found.status !== 'running')
      throw unready('ARCHIVE_EXPORT_FAILED', found.error?.message ?? `The archive is ${found.status}.`, {
        archive_id: found.archiveId,
        error: found.error,
      });
    const left = until - performance.now();
    if (left <= 0)
      throw unready('ARCHIVE_WAIT_TIMEOUT', `The archive was not ready within ${timeoutMs / 1_000} seconds.`, {
        archive_id: found.archiveId,
      });
    await delay(Math.min(pollEveryMs, left), undefined, { signal });
  }
}

/** Nothing is there to be carried, and looking at it changed nothing. */
const unready = (
  code: 'ARCHIVE_EXPORT_FAILED' | 'ARCHIVE_WAIT_TIMEOUT',
  message: string,
  details: Readonly<Record<string, unknown>>,
): SvcError =>
  new SvcError(
    {
      code,
      message,
      category: 'client',
      retryable: code === 'ARCHIVE_WAIT_TIMEOUT',
      safe_to_retry: true,
      mutation_state: 'none',
      details,
    },
    0,
  );

/**
 * Writes an archive to a file of this machine, which is there once it is whole and has the digest that the gateway tells.
 *
 * @returns its length in bytes
 */
export async function saveArchive(
  connection: Connection,
  input: DownloadInput & { readonly project: string },
  path: string,
): Promise<number> {
  const { sha256 } = await archives(connection).get(input);
  const hash = createHash('sha256');
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const answer = await archives(connection).download(input);
  return writeWhole(path, 0o600, async (file) => {
    await pipeline(bodyBytes(answer), hashed, file);
    if (hash.digest('hex') !== sha256) throw localError('The archive has other bytes than the gateway says.');
  });
}

/**
 * Sends an archive of this machine to a gateway, as far as it has not got it, and has it keep the archive for an import.
 *
 * @param path of a file
 * @param org whose import it is for; the caller's own organization where none is named
 * @returns its SHA-256, by which an import names it
 */
export async function sendArchiveFile(connection: Connection, path: string, org?: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const sha256 = hash.digest('hex');
  const bytes = await contentFile(path);
  const plan = await archives(connection).planUpload({ orgId: org, sha256, size: bytes.size });
  for (const { url, byteStart, byteEnd, arrived } of plan.parts) {
    if (arrived) continue;
    const part = bytes.slice(byteStart, byteEnd + 1);
    const checksum = base64Of(await sha256Of(part, () => {}));
    await sendPart(connection, { url, bytes: part, checksum, signal: new AbortController().signal });
  }
  if (!plan.isHeld) await archives(connection).commitUpload({ orgId: org, sha256 });
  return sha256;
}

/** Sends an archive of this machine to a gateway, which makes a project of it. @param path of a file */
export async function importArchiveFile(
  connection: Connection,
  path: string,
  input: Omit<ImportInput, 'archivePath' | 'archiveSha256'> = {},
): Promise<ImportAnswer> {
  const archiveSha256 = await sendArchiveFile(connection, path, input.orgId);
  return archives(connection).import({ ...input, archiveSha256 });
}
