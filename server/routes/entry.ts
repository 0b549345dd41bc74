import type { Context } from '../../kernel/run/context.ts';
import type { PathEntry } from '../../rest-compat/path-table.ts';
import { bodyOf, type Exchange, type HttpOptions } from '../exchange.ts';
import { contextOf } from '../exchange-context.ts';

export type Params = Readonly<Record<string, string>>;

/** A line of the table of routes: which host, method and path it answers, whom it lets in, what it reads, and how it runs. */
export type Entry = OpenEntry | CallEntry;

interface Line extends PathEntry {
  /** `gateway`: a name of the API. `project`: a name that a project has. */
  readonly host: 'gateway' | 'project';
  /** The name that metrics give it. @default the path */
  readonly label?: string;
  /** Whether it answers under a name that no project has claimed, too: balancers and probes use any. */
  readonly underAnyName?: true;
  /** Whether a WebSocket is opened here, too. */
  readonly opensSocket?: true;
}

/** Answers every caller alike. */
interface OpenEntry extends Line {
  /** No credential is looked at. A request is counted, and its body is read, where `run` does so. */
  readonly auth: 'none';
  readonly run: (exchange: Exchange, params: Params) => Promise<void>;
}

/** Answers a caller. The request is counted before anything else happens. */
export interface CallEntry<Admitted = unknown> extends Line {
  /** `operation`: the operations that run ask who calls. A function lets the caller in before the body is read. */
  readonly auth: 'operation' | Admission<Admitted>;
  /** Largest body, in bytes, which is read before `run`. */
  readonly body: number | 'unread';
  // A method rather than a function: lists hold entries whose callers are admitted in different ways.
  run(call: Call<Admitted>): Promise<void>;
}

/** @throws ServiceError for a caller that may not ask here */
type Admission<Admitted> = (asked: Pick<Call, 'exchange' | 'params' | 'ctx'>) => Promise<Admitted>;

/** A request whose caller may ask. */
export interface Call<Admitted = unknown> {
  readonly exchange: Exchange;
  readonly params: Params;
  readonly ctx: Context;
  /** What `auth` found out. */
  readonly admitted: Admitted;
  /** Empty where it is left unread. */
  readonly body: Buffer;
}

/** A path of the gateway's own, which requests spell character for character. */
export const ownPath = { host: 'gateway', spelling: 'exact' } as const;

/** The same line for each of several methods. */
export const forEach = <Line extends object>(methods: readonly Entry['method'][], line: Line) =>
  methods.map((method) => ({ ...line, method }));

const unread = Buffer.alloc(0);

/** Counts a request, lets its caller in, reads its body and answers it, in this order. */
export async function runEntry(options: HttpOptions, entry: Entry, exchange: Exchange, params: Params): Promise<void> {
  if (entry.auth === 'none') return entry.run(exchange, params);
  const ctx = contextOf(options, exchange);
  const admitted = entry.auth === 'operation' ? undefined : await entry.auth({ exchange, params, ctx });
  const body = entry.body === 'unread' ? unread : await bodyOf(exchange, entry.body);
  await entry.run({ exchange, params, ctx, admitted, body });
}
