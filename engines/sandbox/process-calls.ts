import { createPendingAnswer, type PendingAnswer } from './answer.ts';
import type { AnswerHead } from './inside/calls.ts';
import { bodyBytesMax, FrameError } from './inside/frames.ts';
import type { Order } from './inside/runtime.ts';
import { type FunctionAnswer, type FunctionCall, type FunctionFailure, FunctionFailureError } from './runner.ts';

interface RunningCall {
  readonly pending: PendingAnswer;
  /** Stops its clock and no longer listens to its caller. */
  readonly release: () => void;
}

export interface ProcessCallsOptions {
  readonly send: (id: number, head: Order, body?: Uint8Array) => void;
  /** A call took too long, or was given up and did not end. Its process can be relied on no longer. */
  readonly onStuck: () => void;
  readonly onCallEnd: (id: number) => void;
}

/** How long a call that was given up may take to end, in milliseconds. */
const giveUpMs = 1_000;

/** The calls of one process. */
export function createProcessCalls({ send, onStuck, onCallEnd }: ProcessCallsOptions) {
  const running = new Map<number, RunningCall>();
  let lastId = 0;

  const settle = (id: number, finish: (pending: PendingAnswer) => void): void => {
    const call = running.get(id);
    if (call === undefined) return;
    running.delete(id);
    call.release();
    finish(call.pending);
    onCallEnd(id);
  };
  const fail = (id: number, failure: FunctionFailure) => settle(id, ({ fail }) => fail(failure));

  return {
    count: () => running.size,

    /** @throws FunctionFailureError */
    begin(
      { requestId, method, url, headers, body, deadline, signal }: FunctionCall,
      timeoutMs: number,
    ): { readonly id: number; readonly answer: Promise<FunctionAnswer> } {
      if (signal?.aborted === true) throw new FunctionFailureError({ kind: 'cancelled' });
      if ((body?.length ?? 0) > bodyBytesMax)
        throw new FunctionFailureError({ kind: 'too_large', part: 'request', bytesMax: bodyBytesMax });
      const id = ++lastId;
      const until = Math.min(deadline ?? Number.POSITIVE_INFINITY, Date.now() + timeoutMs);
      try {
        send(
          id,
          { type: 'call', requestId, method, url, headers: headers.map(([...pair]) => pair), deadline: until },
          body,
        );
      } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        throw new FunctionFailureError({ kind: 'too_large', part: 'request', bytesMax: bodyBytesMax });
      }
      const pending = createPendingAnswer();
      const stuck = (failure: FunctionFailure) => () => {
        fail(id, failure);
        onStuck();
      };
      let clock = setTimeout(stuck({ kind: 'timeout', timeoutMs }), Math.max(0, until - Date.now()));
      const giveUp = () => {
        pending.fail({ kind: 'cancelled' });
        send(id, { type: 'give_up' });
        clearTimeout(clock);
        clock = setTimeout(stuck({ kind: 'cancelled' }), giveUpMs);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const release = () => {
        clearTimeout(clock);
        signal?.removeEventListener('abort', giveUp);
      };
      running.set(id, { pending, release });
      return { id, answer: pending.answer };
    },

    /** Takes a message that belongs to a call. @throws FrameError when it belongs to none, or comes out of turn */
    take(id: number, head: AnswerHead, body: Buffer): void {
      const { pending } = running.get(id) ?? {};
      if (pending === undefined) {
        // Of a call that has failed here and has not heard of it.
        if (id > 0 && id <= lastId) return;
        throw new FrameError('A message belongs to no call.');
      }
      const inTurn = head.type === 'head' ? !pending.started() : pending.started() || head.type === 'threw';
      if (!inTurn && head.type !== 'too_large') throw new FrameError('A message comes out of turn.');
      switch (head.type) {
        case 'head':
          pending.start(head.status, head.headers);
          break;
        case 'piece':
          if (!pending.add(body)) fail(id, { kind: 'too_large', part: 'response', bytesMax: bodyBytesMax });
          return;
        case 'end':
          settle(id, ({ end }) => end());
          break;
        case 'threw':
          fail(id, { kind: 'threw', error: head.error });
          break;
        case 'too_large':
          fail(id, { kind: 'too_large', part: 'response', bytesMax: bodyBytesMax });
          break;
      }
    },

    failAll(failure: FunctionFailure): void {
      for (const id of [...running.keys()]) fail(id, failure);
    },
  };
}
