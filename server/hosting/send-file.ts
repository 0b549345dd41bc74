import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { contentDigestOf } from '../../engines/hosting/cache-headers.ts';
import type { Coding } from '../../engines/hosting/encoding.ts';
import { MissingObjectError } from '../../engines/objects/object-store.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { Exchange } from '../exchange.ts';
import { cachedBytesMax, FileCache, reading } from './file-cache.ts';
import { codingOf, conditionsOf, hotBytesMax } from './hot-files.ts';
import { type ReadyFile, sendBare, sendUnsatisfiable, traced } from './ready-file.ts';

/** An answer of which nothing is taken for so long is cut, in milliseconds. */
const stallMs = 30_000;

/** Sends files of the object store: small ones from memory, others as they are read. */
export class FileSender {
  readonly #services: Pick<Services, 'log' | 'objects'>;
  readonly #files: FileCache;

  constructor(services: Pick<Services, 'log' | 'objects'>) {
    this.#services = services;
    this.#files = new FileCache(services);
  }

  /**
   * Answers a request with a file, by what it asks: packed, in part, or not at all where the client has it.
   *
   * @returns how many bytes were made ready for it
   * @throws STORAGE_UNAVAILABLE
   */
  async send(exchange: Exchange, ready: ReadyFile, status: 200 | 404): Promise<number> {
    const { request, response } = exchange;
    const { file } = ready;
    if (file.size > cachedBytesMax) {
      await this.#stream(exchange, ready);
      return 0;
    }
    const coding = this.#codingFor(ready, request);
    const added = ready.has(coding) ? 0 : ready.add(coding, await this.#files.get(file, coding));
    if (response.destroyed) return added;
    if (file.size > hotBytesMax) response.setTimeout(stallMs, () => response.destroy());
    ready.send(response, request.method!, conditionsOf(request), coding, status);
    return added;
  }

  #codingFor(ready: ReadyFile, request: IncomingMessage): Coding | undefined {
    const coding = codingOf(ready, request);
    return coding !== undefined && this.#files.mayPack(ready.file, coding) ? coding : undefined;
  }

  /** Sends what is too large to be kept in memory, as fast as its reader takes it. */
  async #stream({ request, response }: Exchange, ready: ReadyFile): Promise<void> {
    const { objects } = this.#services;
    const { sha256, size } = ready.file;
    const { answer } = ready.answerOf(request.method!, conditionsOf(request), undefined);
    const headers = ready.streamHeaders();
    if (answer.status === 304 || answer.status === 412) return sendBare(response, answer.status, headers);
    if (answer.status === 416) return sendUnsatisfiable(response, headers, size);
    const span = answer.status === 206 ? answer.span : undefined;
    const length = span === undefined ? size : span.end - span.start + 1;
    if (span === undefined) headers.push('content-digest', contentDigestOf(Buffer.from(sha256, 'hex')));
    else headers.push('content-range', `bytes ${span.start}-${span.end}/${size}`);
    headers.push('content-length', String(length));
    const head = traced(headers, response);
    if (request.method === 'HEAD') {
      await reading(this.#services, sha256, async () => {
        if ((await objects.size(sha256)) !== size) throw new MissingObjectError(sha256);
      });
      return void response.writeHead(answer.status, head).end();
    }
    const body = await reading(this.#services, sha256, () => objects.read(sha256, span));
    if (response.destroyed) return void body.destroy();
    response.bytes = length;
    response.setTimeout(stallMs, () => response.destroy());
    response.writeHead(answer.status, head);
    await pipeline(body, response).catch((error: NodeJS.ErrnoException) => {
      // Its reader has gone, which is no fault.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }
}
