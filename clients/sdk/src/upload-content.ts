import { hexOf } from './bytes.ts';
import type { CallOptions, Connection } from './connection.ts';
import type { ContentBytes } from './content-file.ts';
import { sendPart } from './content-part.ts';
import { isSvcError } from './errors.ts';
import { type CommitInput, content, type PlanAnswer, type PlanInput } from './namespaces/content.ts';
import { base64Of, sha256Of } from './sha256.ts';

/** Bytes in memory, a `Blob` or `File`, or a file by its path: `await contentFile(path)`. */
export type ContentSource = ContentBytes | Uint8Array<ArrayBuffer>;

export interface UploadContentInput {
  /** What the project shall hold. */
  readonly content: readonly ContentSource[];
  /** @default that of the credential, where it is for one alone */
  readonly project?: string | undefined;
  /** How many parts are hashed or sent at a time. @default 4 */
  readonly parallel?: number | undefined;
  /** Told how far it has come, whenever it has come further. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** In bytes. */
export interface UploadProgress {
  /** Of all that was given, each of several alike included. */
  readonly total: number;
  readonly hashed: number;
  /** Of what the project did not hold; 0 until that is known. */
  readonly missing: number;
  readonly sent: number;
}

export interface UploadedContent {
  readonly sha256: string;
  readonly size: number;
  /** Whether the project held it before. */
  readonly wasHeld: boolean;
}

/** Bytes whose digest is known. */
export interface HashedContent {
  readonly bytes: ContentBytes;
  /** SHA-256, and the same in hexadecimal digits. */
  readonly digest: Uint8Array;
  readonly sha256: string;
  readonly size: number;
}

/** Most objects of one plan. */
const perPlan = 10_000;
/** Plans of the same objects that are made without one more part having come through. */
const fruitlessMax = 3;

/** Refusals after which a plan anew goes on with what has arrived. */
const outdated = new Set([
  'UPLOAD_URL_INVALID',
  'UPLOAD_NOT_FOUND',
  'PLAN_EXPIRED',
  'PLAN_NOT_FOUND',
  'INVALID_STATE',
  'CONTENT_DIGEST_MISMATCH',
]);

type PlannedPart = PlannedObject['parts'][number];

interface ComingPart extends PlannedPart {
  readonly item: HashedContent;
  /** Of the upload and of the part. */
  readonly name: string;
  /** Whether it is all of its object. */
  readonly isWhole: boolean;
}

type Ways = Pick<CallOptions, 'signal' | 'credential' | 'headers'>;

/**
 * Makes bytes the project's: hashes them, asks what of it is missing, sends that in parts, several at a time, and commits.
 * What is given twice or held already goes over the line once or not at all; parts that came by an earlier call are not
 * sent again. Contract 03, section 2.1.
 *
 * @returns in the order of what was given
 * @throws SvcError
 */
export const uploadContent = (
  connection: Connection,
  input: UploadContentInput,
  ways: Ways = {},
): Promise<UploadedContent[]> => uploadThrough(content(connection), connection, input, ways);

type PlannedObject = Pick<PlanAnswer['missing'][number], 'sha256' | 'uploadId' | 'parts'>;

/** How content is planned and committed: by REST, or as a client does it in another way. */
export interface ContentPlanning {
  readonly plan: (
    input: PlanInput,
    options: Ways,
  ) => Promise<{ readonly planId: string; readonly missing: readonly PlannedObject[] }>;
  readonly commit: (input: CommitInput, options: Ways) => Promise<unknown>;
}

/** {@link uploadContent} with what is planned and committed by other means. @param connection sends the parts */
export async function uploadThrough(
  planning: ContentPlanning,
  connection: Connection,
  { content: sources, project, parallel = 4, onProgress }: UploadContentInput,
  ways: Ways = {},
): Promise<UploadedContent[]> {
  const given: ContentBytes[] = sources.map((one) => (one instanceof Uint8Array ? new Blob([one]) : one));
  const tell = telling(given, onProgress);
  const items = await inParallel(given, parallel, ways.signal, async (bytes, signal): Promise<HashedContent> => {
    const digest = await sha256Of(bytes, (hashed) => tell('hashed', hashed), signal);
    return { bytes, digest, sha256: hexOf(digest), size: bytes.size };
  });
  return uploadHashed({ planning, connection, project, parallel, tell, ways }, items);
}

/** Counts bytes for whoever is told how far an upload has come. */
export function telling(
  all: readonly { readonly size: number }[],
  onProgress: UploadContentInput['onProgress'],
): (what: 'hashed' | 'missing' | 'sent', bytes: number) => void {
  const progress = { total: all.reduce((sum, { size }) => sum + size, 0), hashed: 0, missing: 0, sent: 0 };
  return (what, bytes) => {
    progress[what] += bytes;
    onProgress?.({ ...progress });
  };
}

/** {@link uploadContent} of bytes whose digests are known: they are read once, when they are sent. */
export async function uploadHashed(uploading: Uploading, items: readonly HashedContent[]): Promise<UploadedContent[]> {
  const distinct = [...new Map(items.map((item) => [item.sha256, item])).values()];
  const missing = new Set<string>();
  for (let at = 0; at < distinct.length; at += perPlan)
    for (const sha256 of await hold(uploading, distinct.slice(at, at + perPlan))) missing.add(sha256);
  return items.map(({ sha256, size }) => ({ sha256, size, wasHeld: !missing.has(sha256) }));
}

interface Uploading {
  /** @default by REST */
  readonly planning?: ContentPlanning;
  readonly connection: Connection;
  readonly project: string | undefined;
  readonly parallel: number;
  readonly tell: (what: 'missing' | 'sent', bytes: number) => void;
  /** The caller's signal, credential and headers, without a key: each call has its own. */
  readonly ways: Ways;
}

/** Plans, sends and commits until the project holds all of it. @returns the digests of what it did not hold before */
async function hold(uploading: Uploading, items: readonly HashedContent[]): Promise<ReadonlySet<string>> {
  const { planning, connection, project, tell, ways } = uploading;
  const { signal, credential, headers } = ways;
  const { plan, commit } = planning ?? content(connection);
  const byDigest = new Map(items.map((item) => [item.sha256, item]));
  /** Parts that have arrived, and their lengths. */
  const arrived = new Map<string, number>();
  // What others may have sent is taken for right until it has proved wrong.
  let isTrusting = true;
  let missingAtFirst: ReadonlySet<string> | undefined;
  for (let fruitless = 0; ; ) {
    const before = arrived.size;
    let isSent = false;
    try {
      const options = { signal, credential, headers };
      const { planId, missing } = await plan({ project, content: items.map(asPlanned) }, options);
      const parts = missing.flatMap((one) => partsOf(one, byDigest.get(one.sha256)!));
      if (missingAtFirst === undefined) {
        missingAtFirst = new Set(missing.map(({ sha256 }) => sha256));
        tell(
          'missing',
          parts.reduce((sum, { byteStart, byteEnd }) => sum + byteEnd + 1 - byteStart, 0),
        );
      }
      await sendMissing(uploading, parts, { arrived, isTrusting });
      isSent = true;
      await commit({ project, plan: planId }, options);
      return missingAtFirst;
    } catch (error) {
      signal?.throwIfAborted();
      // A commit hashes all that was sent, and may take longer than its answer is waited for.
      if (!isSvcError(error) || !(outdated.has(error.code) || (isSent && error.kind === 'network'))) throw error;
      fruitless = arrived.size > before ? 0 : fruitless + 1;
      if (fruitless >= fruitlessMax) throw error;
      if (error.code !== 'CONTENT_DIGEST_MISMATCH') continue;
      // Of what arrived something is not what was hashed: all of it comes again.
      for (const bytes of arrived.values()) tell('sent', -bytes);
      arrived.clear();
      isTrusting = false;
    }
  }
}

const asPlanned = ({ sha256, size, bytes: { type } }: HashedContent) => ({
  sha256,
  size,
  ...(type ? { contentType: type } : {}),
});

const partsOf = ({ uploadId, parts }: PlannedObject, item: HashedContent): ComingPart[] =>
  parts.map((part) => ({
    ...part,
    item,
    name: `${uploadId} ${part.partNumber}`,
    isWhole: parts.length === 1,
  }));

function sendMissing(
  { connection, parallel, tell, ways }: Uploading,
  parts: readonly ComingPart[],
  { arrived, isTrusting }: { readonly arrived: Map<string, number>; readonly isTrusting: boolean },
): Promise<unknown> {
  const coming = parts.filter(({ name }) => !arrived.has(name));
  return inParallel(coming, parallel, ways.signal, async (part, signal) => {
    const { url, item, isWhole } = part;
    const bytes = item.bytes.slice(part.byteStart, part.byteEnd + 1);
    if (!(isTrusting && part.arrived)) {
      const checksum = base64Of(isWhole ? item.digest : await sha256Of(bytes, () => {}, signal));
      await sendPart(connection, { url, bytes, checksum, signal });
    }
    arrived.set(part.name, bytes.size);
    tell('sent', bytes.size);
  });
}

/** Runs work on all things, a few at a time; what fails ends the others, which are waited for. */
async function inParallel<Thing, Result>(
  things: readonly Thing[],
  most: number,
  signal: AbortSignal | undefined,
  work: (thing: Thing, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const ended = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < things.length && !ended.aborted) {
      const at = next++;
      results[at] = await work(things[at]!, ended);
    }
    ended.throwIfAborted();
  };
  const workers = Array.from({ length: Math.min(Math.max(1, most), things.length) }, worker);
  try {
    await Promise.all(workers);
    return results;
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(workers);
    throw error;
  }
}
