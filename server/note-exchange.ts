import type { GraphQLError } from 'graphql';
import { ServiceError } from '../core/errors.ts';
import { asRefusal } from '../kernel/run/as-refusal.ts';
import type { Context, Services } from '../kernel/run/context.ts';
import { projectConcerned } from '../kernel/run/correlation.ts';
import { causeOf } from '../kernel/run/request-id.ts';
import { noteErrors } from '../schema/engine/note-errors.ts';
import type { Exchange } from './exchange.ts';

/** The status that is noted for a client that went away before its answer began. */
export const goneStatus = 499;

/** The status that is noted for the opening of a socket. */
export const openedStatus = 101;

/** Where operations belong to the project that they name; elsewhere one request may be about several. */
const managed = '/projects/v1/';

/** Notes a request that is answered from now on, where it is one of a project. */
export function noteExchange(
  { traffic }: Pick<Services, 'traffic'>,
  { subject, request, response, route, path }: Exchange,
  status: number,
  startedAt: number,
): void {
  const { projectId, isKnown, calledAs, code, door } = subject;
  if (projectId === undefined || (door === 'operation' && !path.startsWith(managed))) return;
  traffic.note({
    projectId,
    isKnown,
    calledAs,
    requestId: response.traceId,
    causedBy: causeOf(request.headers),
    method: request.method ?? '',
    route,
    path,
    status: subject.status ?? status,
    code,
    ms: performance.now() - startedAt,
    bytes: response.bytes,
  });
}

/** Notes why a request is refused, and the project that it named. */
export function noteRefusal({ subject }: Pick<Exchange, 'subject'>, error: unknown): void {
  const refusal = asRefusal(error);
  subject.code ??= refusal instanceof ServiceError ? refusal.code : 'INTERNAL_ERROR';
  const named = projectConcerned(refusal);
  if (subject.projectId === undefined && named !== undefined) subject.name(named, 'operation');
}

/** What came through a socket, and is counted like a request of its own. */
interface SocketRequest {
  readonly route: string;
  readonly path: string;
  /** When it arrived, by `performance.now()`. */
  readonly startedAt: number;
  /** Where no error says another one. @default 200 */
  readonly status?: number;
  readonly errors?: readonly GraphQLError[] | undefined;
}

/** Notes an operation of a socket, or its opening, where it is one of a project. */
export function noteSocketRequest(ctx: Context, { route, path, startedAt, status = 200, errors }: SocketRequest): void {
  const { subject, services, request } = ctx;
  noteErrors(ctx, errors);
  if (subject?.projectId === undefined || subject.door === 'operation') return;
  services.traffic.note({
    projectId: subject.projectId,
    isKnown: subject.isKnown,
    calledAs: subject.calledAs,
    requestId: request.traceId,
    causedBy: request.causedBy,
    method: 'WS',
    route,
    path,
    status: subject.status ?? status,
    code: subject.code,
    ms: performance.now() - startedAt,
    bytes: undefined,
  });
}
