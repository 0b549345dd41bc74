/** Writes many rows at once: through one POST to the gateway, or by COPY as the project's own role. */
import pg from 'pg';
import { serve } from './processes.ts';

export interface WriteCommand {
  readonly who: 'post' | 'copy';
  /** Where rows are posted to. */
  readonly url: string;
  readonly key: string;
  /** Where they are copied to. */
  readonly loginUrl: string;
  readonly rows: number;
  readonly seconds: number;
}

export interface WriteAnswer {
  /** Times that all rows were written. */
  readonly written: number;
  readonly seconds: number;
}

/** Two hundred bytes each, as values. */
const valuesOf = (nth: number) => ({
  id: nth,
  owner: 1 + (nth % 200),
  title: `Item ${nth}`,
  body: 'The quick brown fox jumps over the lazy dog. '.repeat(4).slice(0, 160),
  made_at: '2026-01-01T00:00:00Z',
  open: nth % 10 !== 0,
});

const bodies = new Map<number, { readonly json: string; readonly lines: Buffer }>();

function bodyOf(rows: number) {
  let body = bodies.get(rows);
  if (body === undefined) {
    const values = Array.from({ length: rows }, (_, nth) => valuesOf(nth));
    const lines = values.map((one) => `${Object.values(one).join('\t')}\n`).join('');
    bodies.set(rows, (body = { json: JSON.stringify(values), lines: Buffer.from(lines) }));
  }
  return body;
}

async function post({ url, key, rows }: WriteCommand): Promise<void> {
  const headers = { apikey: key, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: bodyOf(rows).json });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`The rows were not taken: ${response.status} ${text.slice(0, 300)}`);
}

/** What the driver is given to submit: it offers a copy of no statement of its own. */
class CopyIn extends pg.Query {
  readonly #text: string;
  readonly #lines: Buffer;
  readonly #settle: (error?: Error) => void;

  constructor(text: string, lines: Buffer, settle: (error?: Error) => void) {
    super('');
    this.#text = text;
    this.#lines = lines;
    this.#settle = settle;
  }

  override submit = (connection: unknown): null => {
    (connection as Copying).query(this.#text);
    return null;
  };
  handleCopyInResponse(connection: Copying): void {
    connection.sendCopyFromChunk(this.#lines);
    connection.endCopyFrom();
  }
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    this.#settle();
  }
  handleError(error: Error): void {
    this.#settle(error);
  }
}

interface Copying {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

let client: pg.Client | undefined;

async function copy({ loginUrl, rows }: WriteCommand): Promise<void> {
  if (client === undefined) {
    client = new pg.Client({ connectionString: loginUrl });
    await client.connect();
    await client.query('set role service_role');
  }
  const text = 'copy public.bulk (id, owner, title, body, made_at, open) from stdin';
  await new Promise<void>((resolve, reject) => {
    const one = new CopyIn(text, bodyOf(rows).lines, (error) => (error === undefined ? resolve() : reject(error)));
    (client!.query as unknown as (one: CopyIn) => void)(one);
  });
}

serve(async (command: WriteCommand): Promise<WriteAnswer> => {
  const write = command.who === 'post' ? post : copy;
  await write(command);
  const startedAt = performance.now();
  const end = startedAt + command.seconds * 1_000;
  let written = 0;
  do {
    await write(command);
    written += 1;
  } while (performance.now() < end);
  return { written, seconds: (performance.now() - startedAt) / 1_000 };
});
