import {
  cacheControlOf,
  entityTagOf,
  entityTagsOf,
  framePolicyOf,
  isDocument,
} from '../../engines/hosting/cache-headers.ts';
import { type Conditions, conditionalAnswer, type Span } from '../../engines/hosting/conditional.ts';
import { type Coding, isPackable, packedFrom } from '../../engines/hosting/encoding.ts';
import type { StaticFile } from '../../engines/release/model.ts';
import type { Site } from '../../resolvers/deploys/live-sites.ts';
import type { Answer } from '../respond.ts';
import { cachedBytesMax, type Encoded, type ServedFile } from './file-cache.ts';

/** Names and values by turns, as `writeHead` takes them. The value at {@link traceAt} is set for each answer. */
export type HeaderList = readonly string[];

/** Where the trace of an answer stands in its headers. */
const traceAt = 1;

/** Largest file that is kept as a text, too, in bytes. */
const textBytesMax = 16 * 1024;

/** How a site is shown. */
export interface Shown {
  readonly site: Site;
  /** Origins that may embed its pages. */
  readonly embedders: readonly string[];
  /** It is one deployment's own host: for looking at, and not for search engines. */
  readonly isPreview: boolean;
  /** The project is a branch of another one: not for search engines either. */
  readonly isBranch: boolean;
  /** It shares an origin with others, as in development alone: its pages are kept from all of these. */
  readonly isShared: boolean;
}

/** What pages may do that share an origin with the console: nothing that is this origin's. */
const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/** What a probe tells releases apart by. */
export const releaseHeaders = ({
  site: { releaseId, generation },
  isPreview,
  isBranch,
}: Shown): Record<string, string> => ({
  'x-svc-release-id': releaseId,
  ...(generation === null ? {} : { 'x-svc-release-generation': String(generation) }),
  ...(isPreview || isBranch ? { 'x-robots-tag': 'noindex' } : {}),
});

/** A file of a release. */
export const siteFile = (shown: Shown, file: StaticFile): ReadyFile =>
  new ReadyFile(file, shown.site.projectId, headersOf(shown, file));

/** Headers that a file of a release has in whatever form it is sent. */
function headersOf(shown: Shown, { contentType, cacheClass }: StaticFile): string[] {
  const policies = [
    ...(isDocument(contentType) ? [framePolicyOf(shown.embedders)] : []),
    ...(shown.isShared ? [sandbox] : []),
  ];
  return [
    ...Object.entries(releaseHeaders(shown)).flat(),
    'cache-control',
    cacheControlOf(cacheClass),
    ...(policies.length === 0 ? [] : ['content-security-policy', policies.join('; ')]),
    // A page in a sandbox is of no origin, and loads even its own scripts from another one.
    ...(shown.isShared ? ['access-control-allow-origin', '*'] : []),
  ];
}

/** A file in one coding, with the headers of each answer it can be. */
interface Variant {
  readonly bytes: Buffer;
  /** The same of a small file as a text of one byte each: headers and body are one write then. */
  readonly text: string | undefined;
  readonly tag: string;
  readonly whole: HeaderList;
  /** Of 206 and 416, but for what the range decides. */
  readonly part: HeaderList;
  /** Of 304 and 412. */
  readonly bare: HeaderList;
}

/** A file with its bytes and headers, so that a request for it is answered by one write. */
export class ReadyFile {
  readonly file: ServedFile;
  /** Whether it is sent packed to those who take that. */
  readonly isPacked: boolean;
  readonly projectId: string;
  readonly #headers: HeaderList;
  readonly #tags: ReadonlySet<string>;
  readonly #variants: Partial<Record<Coding | 'plain', Variant>> = {};

  /** @param headers names and values by turns, beside those that every file has */
  constructor(file: ServedFile, projectId: string, headers: readonly string[]) {
    this.file = file;
    this.projectId = projectId;
    this.isPacked = file.size >= packedFrom && file.size <= cachedBytesMax && isPackable(file.contentType);
    this.#headers = [
      'x-svc-trace-id',
      '',
      'x-content-type-options',
      'nosniff',
      'x-svc-content-sha256',
      file.sha256,
      ...headers,
      ...(this.isPacked ? ['vary', 'Accept-Encoding'] : []),
    ];
    this.#tags = entityTagsOf(file.sha256);
  }

  has(coding: Coding | undefined): boolean {
    return this.#variants[coding ?? 'plain'] !== undefined;
  }

  /** @returns how many bytes that takes, about */
  add(coding: Coding | undefined, { bytes, contentDigest }: Encoded): number {
    const { sha256, contentType } = this.file;
    const tag = entityTagOf(sha256, coding);
    const bare = [...this.#headers, 'etag', tag];
    const part = [...bare, 'content-type', contentType, 'accept-ranges', 'bytes'];
    const whole = [
      ...part,
      ...(coding === undefined ? [] : ['content-encoding', coding]),
      'content-digest',
      contentDigest,
      'content-length',
      String(bytes.length),
    ];
    const text = bytes.length <= textBytesMax ? bytes.toString('latin1') : undefined;
    this.#variants[coding ?? 'plain'] = { bytes, text, tag, whole, part, bare };
    return bytes.length + (text?.length ?? 0) + 2_048;
  }

  /** How a request is answered, by headers alone. */
  answerOf(method: string, asked: Conditions, coding: Coding | undefined) {
    const { sha256, size } = this.file;
    const tag = entityTagOf(sha256, coding);
    return { tag, answer: conditionalAnswer(method, asked, { tag, tags: this.#tags, size }) };
  }

  /** Headers of an answer that is streamed, without those that its length decides. */
  streamHeaders(): string[] {
    const { sha256, contentType } = this.file;
    return [...this.#headers, 'etag', entityTagOf(sha256), 'content-type', contentType, 'accept-ranges', 'bytes'];
  }

  /**
   * Answers a request with what is at hand.
   *
   * @param coding one that it {@link has}
   * @param status of the whole file: 404 for a page that says that there is nothing, which has no conditions
   */
  send(response: Answer, method: string, asked: Conditions, coding: Coding | undefined, status: 200 | 404 = 200): void {
    const { bytes, text, whole, part, bare } = this.#variants[coding ?? 'plain']!;
    const { answer } =
      status === 200 && isConditional(asked) ? this.answerOf(method, asked, coding) : { answer: { status } };
    switch (answer.status) {
      case 304:
      case 412:
        sendBare(response, answer.status, bare);
        break;
      case 416:
        sendUnsatisfiable(response, part, this.file.size);
        break;
      case 206:
        sendPart(response, part, bytes, answer.span);
        break;
      default: {
        response.writeHead(answer.status, traced(whole.slice(), response));
        response.bytes = method === 'HEAD' ? 0 : bytes.length;
        if (method === 'HEAD') response.end();
        else if (text !== undefined) response.end(text, 'latin1');
        else response.end(bytes);
      }
    }
  }
}

function sendPart(response: Answer, headers: HeaderList, bytes: Buffer, { start, end }: Span): void {
  const length = end - start + 1;
  response.bytes = length;
  const range = `bytes ${start}-${end}/${bytes.length}`;
  const all = traced([...headers, 'content-range', range, 'content-length', String(length)], response);
  response.writeHead(206, all).end(bytes.subarray(start, end + 1));
}

/** Sets the trace of a copy of a list of headers. */
export function traced(headers: string[], { traceId }: Answer): string[] {
  headers[traceAt] = traceId;
  return headers;
}

export function sendBare(response: Answer, status: 304 | 412, headers: HeaderList): void {
  response.bytes = 0;
  const all = traced([...headers], response);
  if (status === 412) all.push('content-length', '0');
  response.writeHead(status, all).end();
}

export function sendUnsatisfiable(response: Answer, headers: HeaderList, size: number): void {
  response.bytes = 0;
  const all = traced([...headers, 'content-range', `bytes */${size}`, 'content-length', '0'], response);
  response.writeHead(416, all).end();
}

const isConditional = (asked: Conditions): boolean =>
  asked['if-none-match'] !== undefined || asked.range !== undefined || asked['if-match'] !== undefined;
