import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { pgDump } from '@electric-sql/pglite-tools/pg_dump';

/** Memory that the thread and its caller share: a state, the length of a piece, whether more follows; then the piece. */
export interface DumpWorkerData {
  readonly shared: SharedArrayBuffer;
  readonly args: readonly string[];
}

/** What the thread says: bytes for the server, or how it ended. */
export type DumpMessage =
  | { readonly send: Uint8Array }
  | { readonly more: true }
  | { readonly text: string }
  | { readonly fault: string };

const { shared, args } = workerData as DumpWorkerData;
const control = new Int32Array(shared, 0, 3);
const piece = new Uint8Array(shared, 12);
const say = (message: DumpMessage) => parentPort!.postMessage(message);

/** pg_dump asks and waits: the answer is fetched by the caller, which has the socket, while this thread sleeps. */
function ask(bytes: Uint8Array, take: (bytes: Uint8Array) => void): void {
  Atomics.store(control, 0, 0);
  say({ send: bytes.slice() });
  for (;;) {
    Atomics.wait(control, 0, 0);
    const length = Atomics.load(control, 1);
    const more = Atomics.load(control, 2) === 1;
    if (length > 0) take(piece.slice(0, length));
    if (!more) return;
    Atomics.store(control, 0, 0);
    say({ more: true });
  }
}

// The package is made for a database in this process; of that, it uses these members.
const server = {
  query: async () => ({ rows: [{ search_path: '' }] }),
  exec: async () => undefined,
  execProtocolRawStream: (bytes: Uint8Array, { onRawData }: { onRawData: (bytes: Uint8Array) => void }) =>
    ask(bytes, onRawData),
};

/**
 * pg_dump frames its text by commands of psql. The package removes each line that looks like one of them, also in the body
 * of a function or in a comment. This thread takes the text before that, and removes the frame alone, which nobody can guess.
 */
const frameKey = randomBytes(32).toString('hex');
let whole: string | undefined;
const replace = String.prototype.replace;
// The package has no option for this, and the thread lives for one dump.
String.prototype.replace = function (this: string, ...given: Parameters<typeof replace>) {
  if (!String(given[0]).includes('restrict')) return replace.apply(this, given);
  whole = String(this);
  return whole;
} as typeof replace;

function unframed(text: string | undefined): string {
  const [begin, end] = ['restrict', 'unrestrict'].map((word) => `\n\\${word} ${frameKey}\n`) as [string, string];
  const [from, to] = [text?.indexOf(begin) ?? -1, text?.lastIndexOf(end) ?? -1];
  if (text === undefined || from < 0 || to < from) throw new Error('The text of pg_dump has no frame.');
  return text.slice(from + begin.length, to + 1);
}

try {
  await pgDump({ pg: server as never, args: [...args, `--restrict-key=${frameKey}`] });
  say({ text: unframed(whole) });
} catch (error) {
  say({ fault: error instanceof Error ? error.message : String(error) });
}
