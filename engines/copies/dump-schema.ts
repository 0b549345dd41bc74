import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { answersTo, greeting, lastMessage, startupAnswer } from './dump-protocol.ts';
import type { DumpMessage, DumpWorkerData } from './dump-worker.ts';

/** pg_dump ended with a failure, which its message tells. */
export class DumpError extends Error {
  override readonly name = 'DumpError';
}

/** Definitions take more memory than one database may have of this process; that is so the next time, too. */
export class LargeDefinitionsError extends DumpError {
  constructor(bytesMax: number) {
    super(`Its definitions are larger than ${Math.floor(bytesMax / 1024 / 1024)} MiB.`);
  }
}

export interface DumpOptions {
  /** The database. Its login must be allowed to read every catalog. */
  readonly url: string;
  /** As `pg_export_snapshot()` told it. */
  readonly snapshot: string;
  readonly section: 'pre-data' | 'post-data';
  /** The one schema to be dumped. @default all */
  readonly schema?: string;
  /** Longest wait for a lock on a table, in milliseconds. */
  readonly lockMs: number;
  /** Most that the server may answer, in bytes: pg_dump holds all of it several times. @default 128 MiB */
  readonly bytesMax?: number | undefined;
}

const defaultBytesMax = 128 * 1024 * 1024;
/** Of the thread's own objects, in MiB; pg_dump's memory is bounded by what it is given. */
const heapMax = 1024;

const pieceBytes = 8 * 1024 * 1024;

/**
 * The definitions of a database, as SQL: the work of the real pg_dump, which runs as WebAssembly in a thread. It reads
 * catalogs and calls nothing that the database's users made. Owners are left out; rights are part of it.
 *
 * The connection is made by the driver, so that it has the driver's ways to log in and to encrypt; pg_dump is told that it
 * has logged in already.
 *
 * @throws DumpError
 */
export async function dumpSchema(options: DumpOptions): Promise<string> {
  const { url, snapshot, section, schema, lockMs, bytesMax = defaultBytesMax } = options;
  const client = new pg.Client({ connectionString: url, application_name: 'svc-gateway backup', keepAlive: true });
  client.on('error', () => undefined);
  const parameters = new Map<string, string>();
  const { connection } = client as unknown as { connection: { stream: Socket } & NodeJS.EventEmitter };
  connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
    parameters.set(parameterName, parameterValue),
  );
  await client.connect();
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  const socket = connection.stream;
  socket.removeAllListeners('data');
  socket.removeAllListeners('end');
  const args = [
    ...['-d', connectionText(rows[0]!.name), '--schema-only', `--section=${section}`, `--snapshot=${snapshot}`],
    ...['--no-owner', '--no-publications', '--no-subscriptions', '--no-security-labels', '--no-tablespaces'],
    `--lock-wait-timeout=${lockMs}`,
    ...(schema === undefined ? [] : [`--schema="${schema.replaceAll('"', '""')}"`, '--strict-names']),
  ];
  try {
    return await runDump(socket, args, parameters, bytesMax);
  } finally {
    socket.destroy();
  }
}

/** A name as libpq reads it: never taken for a URL or a list of settings. */
const connectionText = (database: string) => `dbname='${database.replace(/['\\]/g, '\\$&')}'`;

function runDump(
  socket: Socket,
  args: readonly string[],
  parameters: ReadonlyMap<string, string>,
  bytesMax: number,
): Promise<string> {
  const shared = new SharedArrayBuffer(12 + pieceBytes);
  const control = new Int32Array(shared, 0, 3);
  const piece = new Uint8Array(shared, 12);
  const workerData: DumpWorkerData = { shared, args };
  const worker = new Worker(new URL('./dump-worker.ts', import.meta.url), {
    workerData,
    // The thread needs nothing of the environment, which holds secrets.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMax },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  return new Promise<string>((resolve, reject) => {
    /** What the server said and the thread has not been given. */
    let waiting: Buffer[] = [];
    let asked = false;
    let greeted = false;
    let taken = 0;
    const sent = answersTo();
    const received = lastMessage();
    const give = (bytes: Uint8Array, more: boolean) => {
      piece.set(bytes);
      Atomics.store(control, 1, bytes.length);
      Atomics.store(control, 2, more ? 1 : 0);
      Atomics.store(control, 0, 1);
      Atomics.notify(control, 0);
    };
    const giveAnswer = () => {
      // Only whole answers: what reads them takes an empty read for the end of the connection.
      if (!asked || !received.ready()) return;
      const answer = Buffer.concat(waiting);
      const more = answer.length > pieceBytes;
      waiting = more ? [answer.subarray(pieceBytes)] : [];
      asked = more;
      give(answer.subarray(0, pieceBytes), more);
    };
    const end = (finish: () => void) => {
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      void worker.terminate();
      finish();
    };
    const refuse = (error: DumpError) => end(() => reject(error));
    const fail = (message: string) => refuse(new DumpError(message));
    socket.on('data', (data: Buffer) => {
      taken += data.length;
      if (taken > bytesMax) return refuse(new LargeDefinitionsError(bytesMax));
      waiting.push(data);
      received.take(data);
      giveAnswer();
    });
    socket.on('close', () => fail('The connection to the database broke.'));
    socket.on('error', (error) => fail(`The connection to the database broke: ${error.message}.`));
    socket.resume();
    worker.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? refuse(new LargeDefinitionsError(bytesMax)) : fail(error.message),
    );
    worker.on('message', (message: DumpMessage) => {
      if ('text' in message) return end(() => resolve(message.text));
      if ('fault' in message) return fail(message.fault.replaceAll('\n', ' ').trim());
      if ('more' in message) return giveAnswer();
      const bytes = Buffer.from(message.send);
      if (!greeted) {
        const answer = startupAnswer(bytes);
        greeted = answer === undefined;
        return give(answer ?? greeting(parameters), false);
      }
      const expected = sent.take(bytes);
      if (expected === 'end') return give(Buffer.alloc(0), false);
      socket.write(bytes);
      if (expected === 'nothing') return give(Buffer.alloc(0), false);
      asked = true;
      received.reset();
      giveAnswer();
    });
  });
}
