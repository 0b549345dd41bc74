import { randomHex } from './bytes.ts';
import type { CallOptions, Connection } from './connection.ts';
import { answerOf } from './errors.ts';
import { writeJson } from './exact-json.ts';
import { fromWireName, respell, toWireName } from './spelling.ts';

/** How an operation is called, in names of the wire. Inputs that are placed nowhere go into the query of a GET, else into the body. */
export interface MethodSpec {
  /** Verb and path, for example `GET /orgs/v1/{org}`. */
  readonly call: string;
  /** Set for what reads by another verb than GET. */
  readonly reads?: true;
  /** Inputs that are part of the query though it is no GET. */
  readonly query?: readonly string[];
  /** Inputs that are called otherwise there. */
  readonly spelt?: Readonly<Record<string, string>>;
  /** The input that is the whole body. */
  readonly body?: string;
  /** Inputs that are headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `made` makes up an idempotency key for each call, `given` sends the caller’s. */
  readonly key?: 'made' | 'given';
  /** Paths of free JSON in the input, and in the answer. */
  readonly freeIn?: readonly string[];
  readonly freeOut?: readonly string[];
  /** Set for lists. */
  readonly page?: PageSpec;
}

/** How a list goes on. */
export interface PageSpec {
  /** The member of the answer that holds the rows. */
  readonly rows: string;
  /** The input that says where to go on, and the member of the answer that it is. */
  readonly next: readonly [input: string, answer: string];
  /** The same for `order: 'desc'`. */
  readonly back?: readonly [input: string, answer: string];
}

/** A method that answers JSON. */
export interface Method<Input, Answer> {
  (...args: Args<Input>): Promise<Answer>;
  /** The same with names of the wire, in and out. */
  readonly wire: (input?: object, options?: CallOptions) => Promise<unknown>;
  readonly spec: MethodSpec;
}

/** A list: the method answers a page. */
export interface ListMethod<Input, Answer, Row> extends Method<Input, Answer> {
  /** Pages from the first on, each fetched when it is asked for. */
  readonly pages: (...args: Args<Input>) => AsyncGenerator<Answer, void, undefined>;
  /** Rows of all pages. */
  readonly each: (...args: Args<Input>) => AsyncGenerator<Row, void, undefined>;
}

/** An input that may be left out altogether is the method’s to leave out. */
export type Args<Input> =
  Record<string, never> extends Input
    ? [input?: Input | undefined, options?: CallOptions]
    : [input: Input, options?: CallOptions];

/** A method that answers bytes, with the headers that say what they are. */
export type BytesMethod<Input> = (...args: Args<Input>) => Promise<Response>;

type Wire = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function outgoing(spec: MethodSpec, input: Wire, options: CallOptions) {
  const [verb, template] = spec.call.split(' ') as [string, string];
  const rest: Wire = { ...input };
  const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = rest[name];
    delete rest[name];
    // Two dots would be another path, however they are written.
    if (value === undefined || /^\.{0,2}$/.test(String(value)))
      throw new TypeError(`${fromWireName(name)} is ${value === undefined ? 'missing' : 'no name of anything'}.`);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let body: Wire = {};
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    const there = spec.spelt?.[name] ?? name;
    const header = spec.headers?.[name];
    if (header !== undefined) headers[header] = text(value);
    else if (name === spec.body) body = value as Wire;
    else if (verb === 'GET' || verb === 'HEAD' || spec.query?.includes(name) === true)
      query.set(there, Array.isArray(value) ? value.map(text).join(',') : text(value));
    else body[there] = value;
  }
  const isChange = verb !== 'GET' && verb !== 'HEAD' && spec.reads !== true;
  const key = options.idempotencyKey ?? (spec.key === 'made' ? randomHex() : undefined);
  const { idempotencyKey: _given, headers: further, ...others } = options;
  return {
    ...others,
    method: verb,
    path,
    query: `${query}` === '' ? '' : `?${query}`,
    body: verb === 'GET' || verb === 'HEAD' || Object.keys(body).length === 0 ? undefined : writeJson(body),
    headers: { ...headers, ...further },
    isChange,
    ...(key === undefined || spec.key === undefined ? {} : { idempotencyKey: key }),
  };
}

/** The method of an operation. */
export function method<Input, Answer>(connection: Connection, spec: MethodSpec): Method<Input, Answer> {
  const wire = async (input: object = {}, options: CallOptions = {}): Promise<unknown> => {
    return answerOf(await connection.send(outgoing(spec, input as Wire, options)));
  };
  const call = async (input: object = {}, options: CallOptions = {}) =>
    respell(await wire(respell(input, toWireName, spec.freeIn) as object, options), fromWireName, spec.freeOut);
  return Object.assign(call, { wire, spec }) as unknown as Method<Input, Answer>;
}

/** The method of a list. */
export function listMethod<Input, Answer, Row>(
  connection: Connection,
  spec: MethodSpec & { readonly page: PageSpec },
): ListMethod<Input, Answer, Row> {
  const once = method<object, Wire>(connection, spec);
  const { rows, next, back } = spec.page;
  async function* pages(input: Wire = {}, options?: CallOptions) {
    const [there, here] = (input.order === 'desc' && back ? back : next).map(fromWireName) as [string, string];
    for (let at: unknown; ; ) {
      const page = await once(at === undefined ? input : { ...input, [there]: at }, options);
      yield page;
      at = page[here];
      if (page.hasMore !== true || at == null) return;
    }
  }
  async function* each(input?: Wire, options?: CallOptions) {
    for await (const page of pages(input, options)) yield* page[fromWireName(rows)] as Row[];
  }
  return Object.assign(once, { pages, each }) as unknown as ListMethod<Input, Answer, Row>;
}

/** The method of a download; `head: true` asks for its headers alone. */
export function bytesMethod<Input>(connection: Connection, spec: MethodSpec): BytesMethod<Input> {
  return (async ({ head, ...input }: Wire = {}, options: CallOptions = {}) => {
    const given = respell(input, toWireName, spec.freeIn) as Wire;
    return connection.open({ ...outgoing(spec, given, options), ...(head === true ? { method: 'HEAD' } : {}) });
  }) as unknown as BytesMethod<Input>;
}
