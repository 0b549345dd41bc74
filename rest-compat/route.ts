import type { z } from 'zod';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import type { Operation } from '../kernel/run/operation.ts';
import type { AnyEndpoint } from '../resolvers/auth/endpoint.ts';
import type { PathDoc } from './openapi/path-doc.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a documented request brings: names as the documentation spells them, values unchecked. */
export interface RestRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The JSON body; an absent one is an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the answer is wanted as Markdown; asked of paths that have such a one. */
  readonly markdown?: boolean;
  /** By their names in small letters, each given once. */
  readonly headers?: RestHeaders;
  /** Whether the answer's headers are all that is wanted. */
  readonly head?: boolean;
}

export type RestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
  /** Set for what is no JSON: the body is then the text, or the bytes, that are sent with these headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One documented path. */
export interface Route {
  readonly method: Method;
  /** For example `/orgs/v1/:org_id`. */
  readonly path: string;
  /** Name of the operation behind it. */
  readonly operation: string;
  /** Set where it is no operation of the platform, but what users of a project do. */
  readonly endpoint?: AnyEndpoint;
  /** The documented status of success. */
  readonly status: number;
  /** Every status of success. @default its one */
  readonly statuses?: readonly number[];
  /** The member that a body of plain text is, where the path takes one. */
  readonly textAs?: string | undefined;
  /** Whether the answer is had as Markdown too. */
  readonly hasMarkdown?: boolean;
  /** Whether a GET uses something up, so that HEAD is refused. */
  readonly goodOnce?: true;
  /** Whether it is sold at one price, which is asked whatever else a request holds. */
  readonly isSold?: boolean;
  /** Whether no credential is looked at: who asks is told by something else. */
  readonly withoutCredential?: boolean;
  /** Whether the body is that of a page's form. */
  readonly form?: true;
  /** What the description of the API says of it, for paths under `/api`. */
  readonly describe?: () => PathDoc;
  /** Largest body, in bytes. @default 1 MiB */
  readonly bodyBytesMax?: number;
  /** Where a request holds each input of the operation. */
  readonly places?: () => Readonly<Record<string, Place>>;
  /** Whether the answer is bytes, not JSON. */
  readonly answersBytes?: true;
  readonly run: (ctx: Context, request: RestRequest) => Promise<RestAnswer>;
}

export interface RouteOptions<Output> extends Pick<Route, 'textAs'> {
  /** No credential is looked at, whatever the request brings: who asks is told by something else. */
  readonly withoutCredential?: true;
  readonly asMarkdown?: (output: Output) => string;
  /** The answer as a ZIP archive, for whoever accepts that alone or first. */
  readonly asZip?: (output: Output, ctx: Context) => Promise<RestAnswer>;
}

const markdownHeaders = { 'content-type': 'text/markdown; charset=utf-8' };

/** The same request from nobody; its address pays for it as for any. */
export const asNobody = (ctx: Context): Context => ({
  ...ctx,
  anonymous: true,
  credentials: {},
  caller: async () => {
    ctx.chargeAddress();
    return { kind: 'nobody' };
  },
});

/** What comes from outside has yet to be judged; the operation's schema is its only judge. */
export type Unchecked<Input> = { readonly [Name in keyof Input]?: unknown };

/** Where a request holds an input of the operation behind its path. */
export type Place =
  | { readonly in: 'path' | 'query' | 'body'; readonly name: string }
  /** The body is the input. */
  | { readonly in: 'body'; readonly name?: undefined }
  | { readonly in: 'header'; readonly name: string }
  /** The input is true when the request has this method, not the path’s own. */
  | { readonly in: 'method'; readonly name: 'HEAD' };

/** A request in which everything says where it stands: what it becomes tells how a route reads its inputs. */
const telling = (place: 'path' | 'query' | 'body') =>
  new Proxy<Record<string, string>>({}, { get: (_target, name) => `${place} ${String(name)}` });
const echo: RestRequest = { params: telling('path'), query: telling('query'), body: telling('body') };

const inBody = (name: string): Place => ({ in: 'body', name });

const placeOf = (told: unknown): Place | undefined => {
  if (told === echo.body) return { in: 'body' };
  const [, place, name] = typeof told === 'string' ? (/^(path|query|body) (.+)$/.exec(told) ?? []) : [];
  return name === undefined ? undefined : { in: place as 'path' | 'query' | 'body', name };
};

/** Tells where a route reads each input, by the function that reads them. */
export function placesOf(
  input: z.ZodObject,
  toInput: (request: RestRequest) => Readonly<Record<string, unknown>>,
): () => Readonly<Record<string, Place>> {
  let known: Readonly<Record<string, Place>> | undefined;
  return () => {
    if (known !== undefined) return known;
    const told = toInput(echo);
    // A path whose body is the input as it stands.
    known =
      told === echo.body
        ? Object.fromEntries(Object.keys(input.shape).map((name) => [name, inBody(name)]))
        : Object.fromEntries(
            Object.entries(told).flatMap(([name, value]) => {
              const place = placeOf(value);
              return place === undefined ? [] : [[name, place]];
            }),
          );
    return known;
  };
}

/**
 * Maps a documented path onto an operation. Names are translated here, values are checked by the operation.
 *
 * @param status of success, or a function for paths that tell outcomes apart by it
 * @param textAs the member that a body of plain text is, where the path takes one
 * @param asMarkdown the answer as Markdown, where the path has such a one
 */
export function route<Input extends z.ZodObject, Scope, Output, Wire>(
  method: Method,
  path: string,
  status: number | { readonly usual: number; readonly of: (output: Output) => number },
  op: Operation<Input, Scope, Output, Wire>,
  toInput: (request: RestRequest) => Unchecked<z.input<Input>>,
  { textAs, asMarkdown, asZip, withoutCredential }: RouteOptions<Output> = {},
): Route {
  const places = placesOf(op.input, toInput);
  const spelling = (name: string): string => places()[name]?.name ?? name;
  return {
    method,
    path,
    operation: op.name,
    ...(typeof status === 'number' ? { status } : { status: status.usual, statuses: [200, 201] }),
    textAs,
    hasMarkdown: asMarkdown !== undefined,
    isSold: op.kind === 'mutation' && 'price' in op && op.price?.family === 'gateway',
    withoutCredential: withoutCredential === true,
    places,
    async run(ctx, request) {
      const asker = withoutCredential === true ? asNobody(ctx) : ctx;
      const output = await execute(op, asker, toInput(request) as z.input<Input>, spelling);
      if (asZip !== undefined && wantsZip(request)) return asZip(output, ctx);
      return {
        status: typeof status === 'number' ? status : status.of(output),
        body: await op.toWire(output, ctx),
        ...(request.markdown === true && asMarkdown !== undefined
          ? { body: asMarkdown(output), headers: markdownHeaders }
          : {}),
      };
    },
  };
}

const wantsZip = ({ headers }: RestRequest): boolean =>
  /^\s*application\/zip\s*(?:;|,|$)/i.test(headers?.accept?.toString() ?? '');

/** One path that stands for two operations: which of them is meant is told by the request. */
export const either = (isFirst: (request: RestRequest) => boolean, first: Route, second: Route): Route => ({
  ...second,
  run: (ctx, request) => (isFirst(request) ? first : second).run(ctx, request),
});
