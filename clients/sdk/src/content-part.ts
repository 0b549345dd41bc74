import { type Connection, pause } from './connection.ts';
import type { ContentBytes } from './content-file.ts';
import { errorOf, networkError, type SvcError } from './errors.ts';

/** What is sent to the address of a part. */
export interface PartSending {
  readonly url: string;
  readonly bytes: ContentBytes;
  /** SHA-256 of the bytes, in base64. */
  readonly checksum: string;
  readonly signal: AbortSignal;
}

/** A connection slower than this is taken for one that hangs, in bytes a second. */
const slowest = 32 * 1024;

/** What is no longer is sent from memory, in bytes. */
const wholeBytes = 256 * 1024;

const bodyOf = async (bytes: ContentBytes): Promise<Pick<RequestInit, 'body'>> => {
  if (bytes.size <= wholeBytes && bytes.arrayBuffer !== undefined) return { body: await bytes.arrayBuffer() };
  // What is no Blob is read as it is sent.
  if (bytes instanceof Blob) return { body: bytes };
  return { body: bytes.stream(), duplex: 'half' } as RequestInit;
};

/**
 * Sends a part, and again what may be sent again. No credential goes along: the address itself says what may be sent.
 *
 * @throws SvcError
 */
export async function sendPart({ options }: Connection, { url, bytes, checksum, signal }: PartSending): Promise<void> {
  const { times = 3, pauseMs = 250, longestWaitSeconds = 30 } = options.retry ?? {};
  const timeoutMs = (options.timeoutSeconds ?? 120) * 1_000 + Math.ceil(bytes.size / slowest) * 1_000;
  for (let sent = 0; ; sent++) {
    signal.throwIfAborted();
    const refusal = await once();
    if (refusal === undefined) return;
    const waitSeconds = refusal.retryAfterSeconds ?? 0;
    const isPassing = refusal.status === 0 || refusal.status >= 500 || [408, 425, 429].includes(refusal.status);
    if (!isPassing || waitSeconds > longestWaitSeconds || sent >= times) throw refusal;
    await pause(Math.max(waitSeconds * 1_000, pauseMs * 2 ** sent * (0.5 + Math.random())), signal);
  }

  async function once(): Promise<SvcError | undefined> {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await (options.fetch ?? fetch)(url, {
        method: 'PUT',
        ...(await bodyOf(bytes)),
        headers: { 'x-amz-checksum-sha256': checksum },
        credentials: 'omit',
        redirect: 'error',
        signal: ended,
      } as RequestInit);
      const text = await response.text();
      return response.ok ? undefined : errorOf(response.status, response.headers, text);
    } catch (error) {
      signal.throwIfAborted();
      // A part that comes again replaces what came before.
      return networkError(error, false);
    }
  }
}
