import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { AnswerHead } from './inside/calls.ts';
import { createFrameReader, createFrameWriter, FrameError } from './inside/frames.ts';
import type { Order, Report } from './inside/runtime.ts';
import { readReport } from './report-shapes.ts';

/**
 * Messages to and from a process in a box.
 *
 * @param onReport may throw a FrameError when a message comes out of turn
 * @param onViolation the process broke the rules: nothing more is read from it
 */
export function openChannel(
  child: ChildProcess,
  onReport: (id: number, report: Report | AnswerHead, body: Buffer) => void,
  onViolation: (words: string) => void,
): (id: number, head: Order, body?: Uint8Array) => void {
  const stream = child.stdio[3];
  if (!(stream instanceof Socket)) throw new Error('A box was started without its channel.');
  let closed = false;
  const { push } = createFrameReader(({ id, head, body }) => onReport(id, readReport(head), body));
  stream.on('data', (bytes: Buffer) => {
    if (closed) return;
    try {
      push(bytes);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      closed = true;
      onViolation(error.message);
    }
  });
  // A process that has ended takes nothing: its end is told elsewhere.
  stream.on('error', () => undefined);
  return createFrameWriter((bytes) => stream.writable && stream.write(bytes));
}
