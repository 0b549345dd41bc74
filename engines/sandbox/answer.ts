import { bodyBytesMax } from './inside/frames.ts';
import { type FunctionAnswer, type FunctionFailure, FunctionFailureError } from './runner.ts';

/** An answer on its way: messages fill it on one side, a caller takes it on the other. */
export interface PendingAnswer {
  /** There once status and headers are. */
  readonly answer: Promise<FunctionAnswer>;
  readonly start: (status: number, headers: FunctionAnswer['headers']) => void;
  /** Takes a piece of the body. @returns false once there is more than an answer may have */
  readonly add: (piece: Buffer) => boolean;
  readonly end: () => void;
  readonly fail: (failure: FunctionFailure) => void;
  readonly started: () => boolean;
}

export function createPendingAnswer(): PendingAnswer {
  const { promise, resolve, reject } = Promise.withResolvers<FunctionAnswer>();
  let started = false;
  let finished = false;
  let failure: FunctionFailure | undefined;
  let pieces: Buffer[] = [];
  let length = 0;
  let wake = () => {};

  async function* body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const ready = pieces;
      pieces = [];
      yield* ready;
      if (pieces.length > 0) continue;
      if (failure !== undefined) throw new FunctionFailureError(failure);
      if (finished) return;
      const more = Promise.withResolvers<void>();
      wake = more.resolve;
      await more.promise;
    }
  }

  return {
    answer: promise,
    started: () => started,
    start(status, headers) {
      started = true;
      resolve({ status, headers, body: body() });
    },
    add(piece) {
      length += piece.length;
      if (length > bodyBytesMax) return false;
      pieces.push(piece);
      wake();
      return true;
    },
    end() {
      finished = true;
      wake();
    },
    fail(reason) {
      failure ??= reason;
      reject(new FunctionFailureError(reason));
      wake();
    },
  };
}
