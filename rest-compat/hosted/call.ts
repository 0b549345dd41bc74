import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { ServiceError } from '../../core/errors.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type Endpoint, runEndpoint } from '../../resolvers/auth/endpoint.ts';
import { claimsOf, type Visitor } from '../../resolvers/auth/hosted/visitor.ts';
import type { ProjectCaller } from '../../resolvers/auth/shared/authenticate-project.ts';
import type { Method } from '../rest-request.ts';
import type { HostedAnswer } from './page.ts';

/** The project's host that was asked, resolved. */
export interface Host {
  readonly target: ProjectTarget;
  readonly projectName: string;
  /** The origin that browsers know the host by. */
  readonly origin: string;
  /** The release that the host is for, where it is one deployment's own. */
  readonly releaseId?: string | undefined;
}

/** A request as the server hands it on. */
export interface HostedRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** A request to a project's host, with everything of it that was found out before it is answered. */
export interface HostedCall extends Host {
  readonly ctx: Context;
  readonly visitor: Visitor;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** What a form or JSON says. */
  readonly body: Readonly<Record<string, unknown>>;
  /** A form of a page sent it: the answer leads on. JSON is answered by JSON. */
  readonly isForm: boolean;
  /** Whoever asks shows pages. */
  readonly wantsPage: boolean;
  /** The `Cookie` header. */
  readonly cookies: string | undefined;
  /** What the browser says of where the request comes from: `Sec-Fetch-Site`. */
  readonly site: string | undefined;
  readonly referer: string | undefined;
  /** Path and query, to come back to. */
  readonly here: string;
  /** Sets a cookie, in place of any other of its name that the answer would set. */
  readonly setCookie: (cookie: string) => void;
}

export interface HostedRoute {
  readonly method: Method;
  readonly path: string;
  /** A form of a signed-in user's page has to carry `_csrf`. */
  readonly csrf?: true;
  /** A function of the project asks, with its service key: no page sent it, and no cookie counts. */
  readonly byKey?: true;
  /** A GET of it uses something up, so that HEAD is refused. */
  readonly singleUse?: true;
  readonly run: (call: HostedCall) => Promise<HostedAnswer>;
  /** The page that says what went wrong, for who shows pages; without it one that says it and no more. */
  readonly failed?: (call: HostedCall, error: ServiceError) => Promise<HostedAnswer> | HostedAnswer;
}

export const json = (status: number, body: unknown): HostedAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' },
  body: JSON.stringify(body),
});

export const seeOther = (path: string): HostedAnswer => ({
  status: 303,
  headers: { location: path, 'cache-control': 'private, no-store' },
  body: '',
});

/** A form leads on to a path, and JSON is told of it in both spellings that clients read. */
export const goOn = ({ isForm }: HostedCall, path: string): HostedAnswer =>
  isForm ? seeOther(path) : json(200, { ok: true, redirect_to: path, redirectTo: path });

/** Where a request wants to go on to, in either spelling. */
export const wayBack = ({ body, query }: Pick<HostedCall, 'body' | 'query'>): unknown =>
  body.returnTo ?? body.return_to ?? query.returnTo ?? query.return_to;

/** How the endpoints of a project's users know who asks, on a host where the host says of which project. */
export const openedBy =
  ({ target, visitor: { session } }: Pick<HostedCall, 'target' | 'visitor'>) =>
  async (ctx: Context): Promise<ProjectCaller> => ({
    target,
    keyRole: 'anon',
    user: session === undefined ? undefined : claimsOf(ctx, target, session),
  });

/** What comes from a page has yet to be judged; the endpoint's schema is its only judge. */
export type Unjudged<Input extends z.ZodObject> = { readonly [Name in keyof z.input<Input>]?: unknown };

/** Asks an endpoint as the caller of the host's request. @throws ServiceError for what it refuses */
export const onHost = <Input extends z.ZodObject, Scope, Wire>(
  call: HostedCall,
  endpoint: Endpoint<Input, Scope, Wire>,
  given: Unjudged<Input>,
): Promise<Wire> => runEndpoint(endpoint, call.ctx, given as z.input<Input>, openedBy(call));
