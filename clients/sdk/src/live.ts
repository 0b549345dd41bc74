import { type CallOptions, type Connection, type Outgoing, pause } from './connection.ts';
import { endable } from './endable.ts';
import { answerOf, SvcError } from './errors.ts';
import { parseExactJson } from './exact-json.ts';

/** Something that changed, or that has to be fetched anew. */
export type LiveEvent =
  | { readonly type: 'ready'; readonly cursor: string; readonly tables: readonly string[] }
  | {
      readonly type: 'change';
      readonly cursor: string;
      readonly table: string;
      readonly op: 'insert' | 'update' | 'delete';
      /** Keys of the rows; null where only the table can be told. Numbers that JavaScript would round are texts. */
      readonly pk: readonly Readonly<Record<string, unknown>>[] | null;
      /** How many rows; 0 for a table that was emptied. */
      readonly n: number;
    }
  | { readonly type: 'resync'; readonly cursor: string; readonly tables: readonly string[]; readonly reason?: string };

export interface LiveInput {
  /** The project, where the key does not say it. */
  readonly project?: string | undefined;
  /** Live tables to follow, at most 20. */
  readonly tables: readonly string[];
  /** Cursor to resume from. @default from now on */
  readonly cursor?: string | undefined;
  /** How it is followed: `held` for networks that hold streams back. @default a stream, and held reads where none comes */
  readonly by?: 'stream' | 'held' | undefined;
}

/** A stream gives a sign of life every 15 seconds. */
const silenceMs = 40_000;
/** One that says nothing at first is held back by something on its way. */
const firstFrameMs = 10_000;
const heldSeconds = 25;
const longestPauseMs = 15_000;

/** Thrown to go over to held reads. */
const heldBack = new Error('No stream comes through.');

/**
 * Follows what changes in live tables of a project, over `/live/v1`. It comes back by its cursor after any interruption:
 * nothing is missed and nothing repeated, and where that cannot be, a `resync` says so. Ends by `break` or the signal.
 *
 * @throws SvcError when it is refused
 */
export const live = (
  connection: Connection,
  input: LiveInput,
  options: CallOptions = {},
): AsyncGenerator<LiveEvent, void, undefined> =>
  endable(options.signal, (signal) => hints(connection, input, { ...options, signal }));

async function* hints(
  connection: Connection,
  { project, tables, cursor, by }: LiveInput,
  options: CallOptions,
): AsyncGenerator<LiveEvent, void, undefined> {
  const { signal } = options;
  let at = cursor;
  let isHeld = by === 'held';
  let failures = 0;
  const request = (path: string, more: Record<string, string>): Outgoing => {
    const query = new URLSearchParams({
      ...(project === undefined ? {} : { project_id: project }),
      tables: tables.join(','),
      ...(at === undefined ? {} : { cursor: at }),
      ...more,
    });
    return { ...options, method: 'GET', path, query: `?${query}`, isChange: false };
  };
  const isOver = () => signal?.aborted === true;
  while (!isOver()) {
    let isEmpty = true;
    try {
      const source = isHeld
        ? heldRead(connection, request('/live/v1/changes', at === undefined ? {} : { wait: String(heldSeconds) }), at)
        : liveStream(connection, request('/live/v1', {}), by !== 'stream');
      for await (const event of source) {
        isEmpty = false;
        failures = 0;
        at = event.cursor;
        if (event.type !== 'reconnect') yield event;
      }
      // A stream that ends without a word is opened anew, but not at once and for ever.
      if (isEmpty) throw new Error('The stream ended without a word.');
    } catch (error) {
      if (isOver()) return;
      if (error === heldBack) isHeld = true;
      // A refusal is the caller's; what broke on its way comes back.
      else if (error instanceof SvcError && error.status !== 0 && !(error.retryable && error.safeToRetry)) throw error;
      else {
        const wait = (error instanceof SvcError && error.retryAfterSeconds) || 0;
        const pauseMs = Math.min(longestPauseMs, 250 * 2 ** failures++) * (0.5 + Math.random() / 2);
        await pause(Math.max(wait * 1_000, pauseMs), signal).catch(() => undefined);
      }
    }
  }
}

/** What a stream says, the last word of one that the gateway ends included. */
export type LiveFrame = LiveEvent | { readonly type: 'reconnect'; readonly cursor: string };

/**
 * One stream of `/live/v1` until it ends. The caller resumes by the cursor, as {@link live} does.
 *
 * @param mayFallBack whether one that says nothing at first is believed to be held back on its way
 * @throws SvcError when it is refused, and an Error when it breaks off or falls silent
 */
export async function* liveStream(
  connection: Connection,
  request: Outgoing,
  mayFallBack = false,
): AsyncGenerator<LiveFrame, void, undefined> {
  const response = await connection.open({ ...request, headers: { ...request.headers, accept: 'text/event-stream' } });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) {
    await response.body?.cancel();
    throw heldBack;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isFirst = true;
  try {
    for (;;) {
      const piece = await within(reader.read(), isFirst ? firstFrameMs : silenceMs);
      if (piece === undefined) throw isFirst && mayFallBack ? heldBack : new Error('The stream has fallen silent.');
      if (piece.done) return;
      isFirst = false;
      text += piece.value;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const frame = frameOf(block);
        if (frame !== undefined) yield frame;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** What is there after a while; undefined where nothing is. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  const waiting = new AbortController();
  try {
    return await Promise.race([promise, pause(ms, waiting.signal).then(() => undefined)]);
  } finally {
    waiting.abort();
  }
}

function frameOf(block: string): LiveFrame | undefined {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const [type, id, data] = [field('event'), field('id'), field('data')];
  return type === undefined
    ? undefined
    : ({ cursor: id, ...(parseExactJson(data ?? '{}') as object), type } as LiveFrame);
}

/** One read that waits for something to change. */
async function* heldRead(
  connection: Connection,
  request: Outgoing,
  from: string | undefined,
): AsyncGenerator<LiveFrame> {
  const { changes, cursor, resync, tables } = answerOf(await connection.send(request)) as {
    readonly changes: readonly object[];
    readonly cursor: string;
    readonly resync: boolean;
    readonly tables: readonly string[];
  };
  if (resync) yield { type: 'resync', cursor, tables };
  for (const change of changes) yield { ...change, type: 'change' } as LiveEvent;
  const asked = new URLSearchParams(request.query).get('tables') ?? '';
  // As a stream begins; later it only says how far it is.
  if (from === undefined) yield { type: 'ready', cursor, tables: asked.split(',') };
  else yield { type: 'reconnect', cursor };
}
