import { currentCall } from './current-call.ts';

/** The line on the standard error before which nothing is the command's: it tells of how the box was made. */
export const begunLine = '\0begun';

/** Begins each line that belongs to a call, followed by the number of the call and `lineMark`. */
export const callMark = '\u001e';
export const lineMark = '\u001f';

/** Longest line, and most output of one call, in bytes. */
export const lineBytesMax = 16 * 1024;
export const callBytesMax = 64 * 1024;

/** Output that a call has begun and not ended with a line end, by stream. */
const unfinished = new Map<string, string>();
const written = new Map<number, number>();

/** Marks everything that is printed with the call that printed it. What has no line end waits for it, or for the call's end. */
export function markOutput(): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const write: (text: string) => boolean = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      print(name, text, write);
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') queueMicrotask(() => callback());
      return true;
    };
    writers.set(name, write);
  }
}

const writers = new Map<'stdout' | 'stderr', (text: string) => boolean>();

function print(name: 'stdout' | 'stderr', text: string, write: (text: string) => boolean): void {
  const id = currentCall()?.id ?? 0;
  const key = `${id}${name}`;
  const lines = ((unfinished.get(key) ?? '') + text).split('\n');
  const rest = lines.pop()!;
  for (const line of lines) writeLine(id, line, write);
  if (rest.length > lineBytesMax) writeLine(id, rest, write);
  if (rest === '' || rest.length > lineBytesMax) unfinished.delete(key);
  else unfinished.set(key, rest);
}

function writeLine(id: number, line: string, write: (text: string) => boolean): void {
  if (id === 0) {
    write(`${line}\n`);
    return;
  }
  // The gateway counts as well: here it only saves the way.
  const before = written.get(id) ?? 0;
  if (before > callBytesMax) return;
  const cut = line.length > lineBytesMax ? line.slice(0, lineBytesMax) : line;
  written.set(id, before + cut.length + 1);
  write(`${callMark}${id}${lineMark}${cut}\n`);
}

/** Prints what a call left without a line end, and forgets the call. */
export function endOutput(id: number): void {
  for (const [name, write] of writers) {
    const rest = unfinished.get(`${id}${name}`);
    if (rest !== undefined) writeLine(id, rest, write);
    unfinished.delete(`${id}${name}`);
  }
  written.delete(id);
}
