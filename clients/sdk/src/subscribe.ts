import type { Connection } from './connection.ts';
import { pause } from './connection.ts';
import { endable } from './endable.ts';
import { isSvcError } from './errors.ts';
import { type DocumentArgs, type GraphQLDocument, type GraphQLOptions, graphPath, textOf } from './graphql.ts';
import { socketOf } from './socket.ts';

export interface SubscribeOptions extends Pick<GraphQLOptions, 'project' | 'signal' | 'operationName'> {
  /** How many events may wait to be asked for; further ones are fetched again when these are taken. @default 1000 */
  readonly waitingMax?: number | undefined;
}

const cursorOf = (data: unknown): string | undefined => {
  const [event] = Object.values((data ?? {}) as object) as { readonly cursor?: unknown }[];
  return typeof event?.cursor === 'string' ? event.cursor : undefined;
};

/**
 * Follows a subscription. A document with a variable `$after` whose events have a `cursor` goes on where it was after any
 * interruption, without a gap or a repeat; any other begins anew. It starts with the first event that is asked for, and
 * ends by `break`, by `return()` or by the signal.
 *
 * @throws SvcError when it is refused, or no longer allowed
 */
export const subscribe = <Result, Variables = Record<string, unknown>>(
  connection: Connection,
  document: GraphQLDocument<Result, Variables>,
  ...[variables, options = {}]: DocumentArgs<Variables, SubscribeOptions>
): AsyncGenerator<Result, void, undefined> =>
  endable(options.signal, (signal) =>
    subscribeTo(connection, textOf(document as GraphQLDocument<never, never>), variables as object, {
      ...options,
      signal,
    }),
  );

/** The same, by the text of a document. */
async function* subscribeTo<Result>(
  connection: Connection,
  query: string,
  variables: object | undefined,
  { project, signal, operationName, waitingMax = 1_000 }: SubscribeOptions = {},
): AsyncGenerator<Result, void, undefined> {
  const resumes = /\$after\b/.test(query);
  const socket = socketOf(connection, graphPath(project));
  const waiting: Result[] = [];
  let after: string | undefined;
  let ended: { readonly error?: unknown } | undefined;
  let stop: (() => void) | undefined;
  let wake: () => void = () => undefined;

  const start = () => {
    stop = socket.run({
      payload: () => ({ query, operationName, variables: after === undefined ? variables : { ...variables, after } }),
      next(data) {
        after = cursorOf(data) ?? after;
        waiting.push(data as Result);
        // A slow reader keeps a cursor, not a heap.
        if (resumes && after !== undefined && waiting.length >= waitingMax) halt();
        wake();
      },
      end(error) {
        stop = undefined;
        ended = { error };
        wake();
      },
    });
  };
  const halt = () => {
    stop?.();
    stop = undefined;
  };
  const abort = () => {
    ended ??= {};
    wake();
  };

  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (let refusals = 0; signal?.aborted !== true; ) {
      if (waiting.length > 0) {
        refusals = 0;
        yield waiting.shift()!;
      } else if (ended?.error !== undefined) {
        if (!isSvcError(ended.error)) throw ended.error;
        const { retryable, safeToRetry, retryAfterSeconds = 2 ** refusals } = ended.error;
        if (!retryable || !safeToRetry || ++refusals > 5 || (!resumes && after !== undefined)) throw ended.error;
        ended = undefined;
        await pause(retryAfterSeconds * 1_000, signal).catch(() => undefined);
      } else if (ended !== undefined) return;
      else if (stop === undefined) start();
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    halt();
  }
}

/** How an operation is followed: its subscriptions, the narrower first. */
export interface FollowSpec {
  /** The field, and which of its arguments have to be there. */
  readonly field: string;
  readonly needs: readonly string[];
  readonly document: string;
  /** Arguments and, by their path in an event, members whose words the graph writes in capitals. */
  readonly loudIn?: readonly string[];
  readonly loudOut?: readonly string[];
}

/** Follows something; see {@link subscribe}. */
export type Follower<Input, Event> = (
  input: Input,
  options?: Pick<SubscribeOptions, 'signal' | 'waitingMax'>,
) => AsyncGenerator<Event, void, undefined>;

/** The method of an operation that begins a subscription. */
export const follower =
  <Input, Event>(connection: Connection, specs: readonly FollowSpec[]): Follower<Input, Event> =>
  (input, options = {}) =>
    endable(options.signal, (signal) =>
      followed<Event>(connection, specs, input as Record<string, unknown>, { ...options, signal }),
    );

async function* followed<Event>(
  connection: Connection,
  specs: readonly FollowSpec[],
  given: Readonly<Record<string, unknown>>,
  options: SubscribeOptions,
): AsyncGenerator<Event, void, undefined> {
  const spec = specs.find(({ needs }) => needs.every((name) => given[name] !== undefined)) ?? specs.at(-1)!;
  const loud = Object.entries(given).map(([name, value]) =>
    spec.loudIn?.includes(name) === true && typeof value === 'string' ? [name, value.toUpperCase()] : [name, value],
  );
  // Each interruption begins the gateway’s count anew.
  let left = typeof given.first === 'number' ? given.first : Number.POSITIVE_INFINITY;
  // A subscription without a cursor begins anew.
  const told = spec.document.includes('$after') ? undefined : new Set<string>();
  const events = subscribeTo<Record<string, Event>>(connection, spec.document, Object.fromEntries(loud), options);
  for await (const data of events) {
    const event = data[spec.field]!;
    if (told !== undefined) {
      const text = JSON.stringify(event);
      if (told.has(text)) continue;
      told.add(text);
    }
    for (const path of spec.loudOut ?? []) quieten(event, path.split('.'));
    yield event;
    if (--left <= 0) return;
  }
}

/** Writes the words at a path in small letters, as the rest of the gateway does. */
function quieten(value: unknown, [name, ...rest]: readonly string[]): void {
  if (Array.isArray(value)) for (const one of value) quieten(one, [name!, ...rest]);
  else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    const member = members[name!];
    if (rest.length > 0) quieten(member, rest);
    else if (typeof member === 'string') members[name!] = member.toLowerCase();
    else if (Array.isArray(member)) members[name!] = member.map((one) => String(one).toLowerCase());
  }
}
