import type { lookup as systemLookup } from 'node:dns';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { addressKind } from '../../../core/address-kinds.ts';
import { ServiceError } from '../../../core/errors.ts';
import { type GuardedStage, openGuarded } from '../../../core/guarded-request.ts';
import type { FetchTimings } from '../site-snapshot.ts';

/** Sites of a trial of the gateway itself, served on this machine: their names, ports, and who signed for them. */
export interface TrialNetwork {
  readonly hosts: ReadonlyMap<string, number>;
  readonly ca: string;
  /** Where more is waited than usual: the machine may have much else to do. */
  readonly patience?: Partial<Patience> | undefined;
}

export interface DocumentRequest {
  readonly url: URL;
  readonly userAgent: string;
  /** Most bytes that are read, unpacked. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  readonly resolve?: typeof systemLookup | undefined;
  readonly trial?: TrialNetwork | undefined;
  /** Where less is waited than usual. */
  readonly patience?: Partial<Patience> | undefined;
  /** Told how far each request has come, and for what. */
  readonly onStage?: ((stage: GuardedStage, url: URL) => void) | undefined;
}

export interface FetchedDocument {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
  readonly wireBytes: number;
  readonly timings: FetchTimings;
}

export interface Patience {
  readonly resolve: number;
  readonly connect: number;
  readonly headers: number;
  readonly idle: number;
  readonly whole: number;
}

/** Longest that each part may take, in milliseconds. Contract 00, section 3.2, rule 11. */
const usualPatience: Patience = { resolve: 3_000, connect: 3_000, headers: 5_000, idle: 5_000, whole: 8_000 };

const headerBytesMax = 16 * 1024;
const wireBytesMax = 2 * 1024 * 1024;

/** Why a document could not be had, before it is told in the words of a refusal. */
type Stage = 'resolve' | 'connect' | 'secure' | 'answer';

const failures = {
  resolve: 'DNS_FAILURE',
  connect: 'CONNECT_FAILURE',
  secure: 'TLS_FAILURE',
  answer: 'CONNECT_FAILURE',
} as const;

/**
 * Fetches one document, and follows nothing. The URL was judged before.
 *
 * @throws ServiceError RESTRICTED_ADDRESS, DNS_FAILURE, CONNECT_FAILURE, TLS_FAILURE, TARGET_TIMEOUT, BAD_ENCODING
 */
export async function fetchDocument(request: DocumentRequest): Promise<FetchedDocument> {
  const { url, userAgent, signal, resolve, trial } = request;
  const patience = { ...usualPatience, ...trial?.patience, ...request.patience };
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const allow = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => late.abort(), milliseconds);
  };
  const whole = setTimeout(() => late.abort(), patience.whole);
  let stage: Stage = 'resolve';
  const times = { dns: 0, tls: 0 };
  const trialPort = trial?.hosts.get(url.hostname);
  const ended = AbortSignal.any([signal, late.signal]);
  try {
    allow(patience.resolve);
    const response = await openGuarded({
      url,
      headers: {
        accept: 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.8',
        'accept-encoding': 'gzip, br, deflate',
        'user-agent': userAgent,
      },
      signal: ended,
      resolve,
      isAllowed: (address) => addressKind(address) === 'public' || (trialPort !== undefined && address === '127.0.0.1'),
      refusal: () => new ServiceError('RESTRICTED_ADDRESS'),
      headerBytesMax,
      trial: trial === undefined || trialPort === undefined ? undefined : { port: trialPort, ca: trial.ca },
      onStage: (reached) => {
        request.onStage?.(reached, url);
        if (reached === 'resolved') {
          times.dns = since();
          stage = 'connect';
          allow(patience.connect);
        } else if (reached === 'connected') {
          stage = 'secure';
          allow(patience.headers);
        } else {
          stage = 'answer';
          times.tls = since() - times.dns;
          allow(patience.headers);
        }
      },
    });
    const ttfb = since();
    const body = await readBody(response, request.bytesMax, () => allow(patience.idle));
    return {
      status: response.statusCode!,
      headers: response.headers,
      ...body,
      timings: { ...times, ttfb, total: since() },
    };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (ended.aborted) throw new ServiceError('TARGET_TIMEOUT', { cause: error });
    throw new ServiceError(failures[stage], { cause: error });
  } finally {
    clearTimeout(timer);
    clearTimeout(whole);
  }
}

/** Reads as much as may be; the counter is behind what unpacks, so that a bomb costs the bound and no more. */
async function readBody(response: IncomingMessage, bytesMax: number, onBytes: () => void) {
  let wireBytes = 0;
  let truncated = false;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      wireBytes += chunk.length;
      onBytes();
      if (wireBytes <= wireBytesMax) return done(null, chunk);
      // Ended rather than broken off: what has been unpacked so far is read.
      truncated = true;
      response.unpipe(counted);
      done(null, chunk);
      counted.end();
    },
  });
  let unpack: Transform | undefined;
  const streams: Readable[] = [response, counted];
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    if (bytesMax === 0) return { bytes: new Uint8Array(), truncated, wireBytes };
    unpack = unpackers(response.headers['content-encoding']);
    onBytes();
    let last: Readable = response.pipe(counted);
    if (unpack !== undefined) {
      last = counted.pipe(unpack);
      streams.push(unpack);
    }
    response.on('error', (error) => last.destroy(error));
    response.on('aborted', () => last.destroy(new Error('The answer broke off.')));
    for await (const chunk of last as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= bytesMax) continue;
      truncated = true;
      break;
    }
  } catch (error) {
    if (!truncated) {
      const isPacking =
        unpack !== undefined && String((error as { code?: string }).code).match(/^Z_|^ERR_BROTLI|^ERR__/);
      throw isPacking ? new ServiceError('BAD_ENCODING', { cause: error }) : error;
    }
  } finally {
    for (const stream of streams) stream.destroy();
  }
  return { bytes: new Uint8Array(Buffer.concat(chunks).subarray(0, bytesMax)), truncated, wireBytes };
}

/** @throws ServiceError BAD_ENCODING for what was not offered, and for more than one layer. */
function unpackers(coding = 'identity') {
  switch (coding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    default:
      throw new ServiceError('BAD_ENCODING');
  }
}
