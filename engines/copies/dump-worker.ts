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

try {
  const file = await pgDump({ pg: server as never, args: [...args] });
  say({ text: await file.text() });
} catch (error) {
  say({ fault: error instanceof Error ? error.message : String(error) });
}
