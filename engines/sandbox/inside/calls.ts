import { runAs } from './current-call.ts';
import { tellError } from './errors.ts';
import type { createFrameWriter } from './frames.ts';
import { bodyBytesMax, headBytesMax, headersMax } from './frames.ts';
import { answered, type Handler } from './handler.ts';
import { endOutput } from './logs.ts';

/** Head of a message that begins a call; its body is the request's. */
export interface CallHead {
  readonly type: 'call';
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
  readonly headers: [string, string][];
  readonly deadline: number;
}

/** Heads of the messages that answer a call, in this order; the last one ends it. */
export type AnswerHead =
  | { readonly type: 'head'; readonly status: number; readonly headers: readonly (readonly [string, string])[] }
  | { readonly type: 'piece' }
  | { readonly type: 'end' }
  | { readonly type: 'threw'; readonly error: ReturnType<typeof tellError> }
  | { readonly type: 'too_large' };

/** Calls that run, by number: each may be given up. */
const running = new Map<number, AbortController>();

export const giveUp = (id: number): void => running.get(id)?.abort();

/** Runs the handler for one call and sends its answer. */
export async function serve(
  send: ReturnType<typeof createFrameWriter>,
  handler: Handler,
  id: number,
  { requestId, method, url, headers, deadline }: CallHead,
  body: Uint8Array,
): Promise<void> {
  const answer = (head: AnswerHead, bytes?: Uint8Array) => send(id, head, bytes);
  const ended = new AbortController();
  running.set(id, ended);
  try {
    const bodiless = method === 'GET' || method === 'HEAD' || body.length === 0;
    // A copy: the buffer it came in holds other calls' bytes as well.
    const init = bodiless ? {} : { body: new Uint8Array(body) };
    const request = new Request(url, { method, headers, signal: ended.signal, ...init });
    await runAs({ id, requestId, request, deadline }, async () => {
      const response = await answered(() => handler(request, { requestId, deadline }));
      const given = [...response.headers];
      const large = given.length > headersMax || Buffer.byteLength(JSON.stringify(given)) > headBytesMax - 1_024;
      if (large) return answer({ type: 'too_large' });
      answer({ type: 'head', status: response.status, headers: given });
      const whole = method === 'HEAD' || response.body === null || (await sendBody(response.body, answer));
      answer({ type: whole ? 'end' : 'too_large' });
    });
  } catch (error) {
    answer({ type: 'threw', error: tellError(error) });
  } finally {
    running.delete(id);
    endOutput(id);
  }
}

/** Sends a body as it comes, as far as an answer may go. @returns whether that was all of it */
async function sendBody(body: ReadableStream<Uint8Array>, answer: (head: AnswerHead, bytes: Uint8Array) => void) {
  let length = 0;
  for await (const piece of body) {
    if (!(piece instanceof Uint8Array)) throw new TypeError('The body of a Response is made of bytes.');
    length += piece.length;
    if (length > bodyBytesMax) return false;
    answer({ type: 'piece' }, piece);
  }
  return true;
}
