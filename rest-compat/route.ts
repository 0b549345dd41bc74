import type { z } from 'zod';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import type { Operation } from '../kernel/run/operation.ts';
import type { AnyEndpoint } from '../resolvers/auth/endpoint.ts';
import { type InputSources, inputReader, type Place } from './inputs.ts';
import type { PathDoc } from './openapi/path-doc.ts';
import type { Method, RestRequest } from './rest-request.ts';

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
  /** Set for what is no JSON: the body is then the text, or the bytes, that are sent with these headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set for bytes of the object store, which are sent as the request asks for them. */
  readonly object?: ObjectAnswer;
}

/** Bytes of the object store, and as what they are sent. */
export interface ObjectAnswer {
  readonly projectId: string;
  readonly sha256: string;
  readonly size: number;
  readonly contentType: string;
  /** As what it is saved. @default as the address says */
  readonly filename?: string;
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
  /** Parameters of the query that may be given more than once: lists, which commas separate too. */
  readonly repeats?: readonly string[] | undefined;
  /** Whether the answer is had as Markdown too. */
  readonly hasMarkdown?: boolean;
  /** Whether a GET uses something up, so that HEAD is refused. */
  readonly singleUse?: true;
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
  readonly places?: Readonly<Record<string, Place>>;
  /** Every place that is looked into for each input, where there is more than one, too. */
  readonly sources?: Readonly<Record<string, readonly Place[]>>;
  /** The one parameter of the path that may hold slashes: it is all of the path but what stands around it. */
  readonly rest?: string;
  /** Whether the answer is bytes, not JSON. */
  readonly answersBytes?: true;
  readonly run: (ctx: Context, request: RestRequest) => Promise<RestAnswer>;
}

export interface RouteOptions<Output> extends Pick<Route, 'textAs' | 'repeats'> {
  /** No credential is looked at, whatever the request brings: who asks is told by something else. */
  readonly withoutCredential?: true;
  readonly asMarkdown?: (output: Output) => string;
  /** A key of a project decides, whatever else the request brings. Contract 03, section 0.1. */
  readonly keyDecides?: true;
  /** Members of the body that the operation does not know are passed on, for it to refuse. */
  readonly passesUnknown?: true;
  /** The one parameter that may hold slashes. */
  readonly rest?: string;
  /** Bytes of the object store in place of JSON. */
  readonly asObject?: (output: Output) => ObjectAnswer;
  /** The answer as a ZIP archive, for clients that accept that alone or first. */
  readonly asZip?: (output: Output, ctx: Context) => Promise<RestAnswer>;
}

const markdownHeaders = { 'content-type': 'text/markdown; charset=utf-8' };

/** The same request without a credential; its address pays for it as for any. */
export const asNobody = (ctx: Context): Context => ({
  ...ctx,
  anonymous: true,
  credentials: {},
  caller: async () => {
    ctx.chargeAddress();
    return { kind: 'nobody' };
  },
});

/** The same request with its key of a project alone, where it has one. */
function byKey(ctx: Context): Context {
  const { apikey } = ctx.credentials;
  return apikey === undefined ? ctx : (ctx.withCredentials?.({ apikey }) ?? ctx);
}

/**
 * Maps a documented path onto an operation. Names are translated here, values are checked by the operation.
 *
 * @param status of success, or a function for paths that tell outcomes apart by it
 * @param inputs where those are that are not where inputs usually are
 * @param textAs the member that a body of plain text is, where the path takes one
 * @param asMarkdown the answer as Markdown, where the path has such a one
 */
export function route<Input extends z.ZodObject, Scope, Output, Wire>(
  method: Method,
  path: string,
  status: number | { readonly usual: number; readonly of: (output: Output) => number },
  op: Operation<Input, Scope, Output, Wire>,
  inputs: InputSources<z.input<Input>> = {},
  {
    textAs,
    repeats,
    asMarkdown,
    asZip,
    asObject,
    rest,
    withoutCredential,
    keyDecides,
    passesUnknown,
  }: RouteOptions<Output> = {},
): Route {
  const { places, sources, read } = inputReader(method, path, op.input, inputs);
  const spelling = (name: string): string => places[name]?.name ?? name;
  return {
    method,
    path,
    operation: op.name,
    ...(typeof status === 'number'
      ? { status }
      : { status: status.usual, statuses: [200, status.usual === 200 ? 201 : status.usual] }),
    textAs,
    repeats,
    hasMarkdown: asMarkdown !== undefined,
    isSold: op.kind === 'mutation' && 'price' in op && op.price?.family === 'gateway',
    withoutCredential: withoutCredential === true,
    ...(rest === undefined ? {} : { rest }),
    ...(asObject === undefined ? {} : { answersBytes: true as const }),
    places,
    sources,
    async run(ctx, request) {
      const asker = withoutCredential === true ? asNobody(ctx) : keyDecides === true ? byKey(ctx) : ctx;
      const raw = passesUnknown === true ? { ...request.body, ...read(request) } : read(request);
      const output = await execute(op, asker, raw as z.input<Input>, spelling);
      if (asObject !== undefined) return { status: 200, body: undefined, object: asObject(output) };
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

/** One path for two operations: the request says which of them is meant. */
export const either = (isFirst: (request: RestRequest) => boolean, first: Route, second: Route): Route => ({
  ...second,
  run: (ctx, request) => (isFirst(request) ? first : second).run(ctx, request),
});
