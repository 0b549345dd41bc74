import type { Readable } from 'node:stream';
import { callBytesMax, callMark, lineBytesMax, lineMark } from './inside/logs.ts';

/** A line as a process printed it. */
export interface PrintedLine {
  /** Number of the call that it belongs to; 0 for none. A process may say what it likes. */
  readonly call: number;
  readonly text: string;
}

const lineEnd = 0x0a;
const marked = new RegExp(`^${callMark}(\\d{1,10})${lineMark}`);
/** Longest mark before a line, in bytes. */
const markBytesMax = 12;

/** Reads lines of any length: what is longer than a line may be is left out, and never kept. */
export function readLines(stream: Readable, onLine: (line: PrintedLine) => void): void {
  const most = markBytesMax + lineBytesMax;
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (bytes: Buffer) => {
    const room = bytes.subarray(0, Math.max(0, most - length));
    if (room.length > 0) parts.push(Buffer.from(room));
    length += room.length;
  };
  const end = () => {
    const text = Buffer.concat(parts).toString();
    parts = [];
    length = 0;
    const call = marked.exec(text);
    onLine({ call: call === null ? 0 : Number(call[1]), text: cut(call === null ? text : text.slice(call[0].length)) });
  };
  stream.on('data', (bytes: Buffer) => {
    let from = 0;
    for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, from)) {
      keep(bytes.subarray(from, at));
      end();
      from = at + 1;
    }
    keep(bytes.subarray(from));
  });
  stream.on('end', () => length > 0 && end());
}

/** A line within its bound, without half a character at its end. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= lineBytesMax
    ? text
    : bytes
        .subarray(0, lineBytesMax)
        .toString()
        .replace(/\ufffd$/, '');
}

/** Counts output: 64 KiB for a call, and as much within a minute for what belongs to none. */
export function createLogBudget(now: () => number = Date.now) {
  const left = new Map<number, number>();
  let refilledAt = now();
  return {
    /** The line as far as it may be kept; undefined once there was too much, which one line has told. */
    take({ call, text }: PrintedLine): string | undefined {
      if (call === 0 && now() - refilledAt > 60_000) {
        refilledAt = now();
        left.delete(0);
      }
      const before = left.get(call) ?? callBytesMax;
      if (before < 0) return undefined;
      const after = before - Buffer.byteLength(text) - 1;
      left.set(call, after);
      return after < 0 ? `[Output beyond ${callBytesMax / 1024} KiB is left out.]` : text;
    },
    forget: (call: number) => left.delete(call),
  };
}
