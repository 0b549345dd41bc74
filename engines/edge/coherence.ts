import { createHash } from 'node:crypto';
import { type ProbeAnswer, probedBytesMax } from './host-probe.ts';

/** What a page answers once a release is everywhere. */
export interface ExpectedPage {
  readonly host: string;
  /** In canonical form. */
  readonly path: string;
  readonly releaseId: string;
  readonly generation: number | null;
  readonly sha256: string;
}

/** By what an answer was told from that of another release: by what it says of itself, or by its bytes. */
export type Confidence = 'identity' | 'body_hash' | 'weak' | 'error';

/** What a page answered, held against what is expected of it. Contract 03, section 2.7. */
export interface JudgedPage extends ExpectedPage {
  readonly state: 'coherent' | 'stale_prior_release' | 'unknown' | 'error';
  readonly confidence: Confidence;
  readonly observedReleaseId: string | null;
  readonly observedGeneration: number | null;
  readonly observedSha256: string | null;
  readonly status: number | null;
  readonly contentType: string | null;
  readonly contentLength: number | null;
  /** What a cache on the way says of itself. */
  readonly cache: string | null;
  readonly ageSeconds: number | null;
  readonly error: string | null;
}

const nothing = {
  observedReleaseId: null,
  observedGeneration: null,
  observedSha256: null,
  status: null,
  contentType: null,
  contentLength: null,
  cache: null,
  ageSeconds: null,
  error: null,
} as const;

/** Longest header that is shown: what stands there may be anybody's. */
const shownMax = 200;

/** Judges what a host answered. @param withBody whether the bytes were asked for */
export async function judgePage(expected: ExpectedPage, answer: ProbeAnswer, withBody: boolean): Promise<JudgedPage> {
  if (answer.response === undefined)
    return { ...expected, ...nothing, state: 'error', confidence: 'error', error: answer.error };
  const { response } = answer;
  const { headers, status } = response;
  const releaseId = matching(headers, 'x-svc-release-id', /^rel_[0-9a-z]{1,60}$/i);
  const generation = numberIn(headers, 'x-svc-release-generation');
  const isRead = status === 200 && withBody;
  const observed = {
    observedReleaseId: releaseId,
    observedGeneration: generation,
    observedSha256:
      matching(headers, 'x-svc-content-sha256', /^[0-9a-f]{64}$/) ?? (isRead ? await digestOf(response) : null),
    status,
    contentType: headers.get('content-type')?.slice(0, shownMax) ?? null,
    contentLength: numberIn(headers, 'content-length'),
    cache:
      (headers.get('x-cache') ?? headers.get('cf-cache-status') ?? headers.get('cache-status'))?.slice(0, shownMax) ??
      null,
    ageSeconds: numberIn(headers, 'age'),
    error: null,
  };
  return { ...expected, ...observed, ...verdictOf(expected, observed) };
}

type Observed = Pick<JudgedPage, 'observedReleaseId' | 'observedGeneration' | 'observedSha256' | 'status'>;

function verdictOf(
  expected: ExpectedPage,
  { observedReleaseId, observedGeneration, observedSha256, status }: Observed,
): Pick<JudgedPage, 'state' | 'confidence'> {
  if (status !== null && status >= 500) return { state: 'error', confidence: 'error' };
  if (observedReleaseId !== null) {
    const isOlder =
      observedGeneration !== null && expected.generation !== null && observedGeneration < expected.generation;
    if (isOlder) return { state: 'stale_prior_release', confidence: 'identity' };
    return { state: observedReleaseId === expected.releaseId ? 'coherent' : 'unknown', confidence: 'identity' };
  }
  // Something on the way has taken the identity away. The same bytes may also be those of a release before.
  if (observedSha256 === null) return { state: 'unknown', confidence: 'weak' };
  return { state: observedSha256 === expected.sha256 ? 'coherent' : 'unknown', confidence: 'body_hash' };
}

async function digestOf(response: Response): Promise<string | null> {
  const bytes = Buffer.from(await response.arrayBuffer());
  return bytes.length > probedBytesMax ? null : createHash('sha256').update(bytes).digest('hex');
}

function matching(headers: Headers, name: string, form: RegExp): string | null {
  const value = headers.get(name);
  return value !== null && form.test(value) ? value : null;
}

function numberIn(headers: Headers, name: string): number | null {
  const value = matching(headers, name, /^\d{1,15}$/);
  return value === null ? null : Number(value);
}
