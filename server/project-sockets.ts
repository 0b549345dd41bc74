import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { makeServer, type Server } from 'graphql-ws';
import { keepDigits } from '../core/exact-json.ts';
import { newTraceId } from '../core/tracing.ts';
import type { Context, Services } from '../kernel/run/context.ts';
import { shown } from '../rest-compat/rows/answer.ts';
import type { GraphQLRequest, Prepared } from '../schema/engine/engine.ts';
import { refusal, renderErrors } from '../schema/engine/render-errors.ts';
import type { ProjectRequest } from '../schema/project/project-request.ts';
import type { ProjectSchemas } from '../schema/project/project-schemas.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import type { Metrics } from './metrics.ts';
import { noteSocketRequest, openedStatus } from './note-exchange.ts';
import { openProject, type ProjectOpening } from './project-graphql.ts';
import { createContext, targetOf } from './request-context.ts';
import { operationsMax, tooManyOperations } from './socket-operations.ts';
import type { SocketExtra } from './socket-protocol.ts';
import { arrivalOf, type Closing, notOpened, runningOperations, type Session, saysExpired } from './socket-session.ts';

export interface ProjectSocketsOptions {
  readonly services: Services;
  readonly schemas: ProjectSchemas;
  readonly metrics: Metrics;
  readonly trustedProxies: TrustedProxies | undefined;
  /** The configured address to listen at. */
  readonly host: string;
}

interface ProjectSession extends Session {
  readonly opening: ProjectOpening;
}

interface Operation {
  readonly id: string;
  readonly session: ProjectSession;
  readonly stop: AbortController;
  readonly engine: ProjectRequest;
  readonly prepared: Prepared;
  readonly ctx: Context;
  readonly startedAt: number;
}

const route = '/projects/v1/:id/graphql';

/**
 * GraphQL over WebSocket inside a project. Each operation is let in by itself, with the credentials that the socket was
 * opened with, and counted like a request of its own; so none outlives its session or its token for long, and each sees
 * the schema of its own time.
 */
export function projectProtocol(options: ProjectSocketsOptions): Server<SocketExtra> {
  const { services, metrics } = options;
  return makeServer<Record<string, unknown> | undefined, SocketExtra>({
    jsonMessageReviver: keepDigits,
    onConnect: async ({ connectionParams, extra }) => {
      const session = await openSession(options, extra, connectionParams);
      if ('closeCode' in session) {
        extra.socket.close(session.closeCode, session.reason);
        return false;
      }
      extra.session = session;
      extra.request = undefined;
      extra.socket.once('close', () => {
        for (const operation of session.running.values()) operation.abort();
      });
      return true;
    },
    onSubscribe: async ({ extra }, id, message) => {
      const payload = { ...message } as GraphQLRequest;
      // The library keeps a message for as long as its operation lasts; its text is not needed any more.
      Object.assign(message, { query: '', variables: undefined });
      const session = extra.session as ProjectSession;
      const stop = new AbortController();
      const startedAt = performance.now();
      const ctx = session.context(stop.signal);
      const { traceId } = ctx.request;
      const refuse = (errors: readonly GraphQLError[]) => {
        note({ ctx, session, startedAt }, errors);
        return errors;
      };
      if (session.running.size >= operationsMax) return refuse([refusal(tooManyOperations(), traceId)]);
      session.running.set(id, stop);
      try {
        const engine = await openProject(ctx, session.opening);
        await engine.renewFor(payload, traceId);
        const prepared = engine.prepare(payload, traceId);
        if (!('document' in prepared)) {
          forget(session, id, stop);
          return refuse(prepared);
        }
        const contextValue: Operation = { id, session, stop, engine, prepared, ctx, startedAt };
        const { document, operationName } = prepared;
        return { schema: engine.schema, document, operationName, contextValue };
      } catch (error) {
        forget(session, id, stop);
        if (saysExpired(error)) session.expire();
        const failed = new GraphQLError('The operation could not begin.', { cause: error as Error });
        return refuse(renderErrors([failed], traceId, services, session.opening.projectId));
      }
    },
    execute: async ({ contextValue }: ExecutionArgs) => {
      const operation = contextValue as Operation;
      const { engine, prepared, ctx, session, id, stop } = operation;
      try {
        const result = await engine.runOnce(prepared, ctx);
        note(operation, result.errors);
        return result;
      } finally {
        forget(session, id, stop);
      }
    },
    subscribe: ((args: ExecutionArgs) => subscribe(args.contextValue as Operation, metrics)) as never,
  });
}

async function subscribe(
  operation: Operation,
  metrics: Metrics,
): Promise<ExecutionResult | AsyncGenerator<ExecutionResult>> {
  const { engine, prepared, ctx, session, id, stop } = operation;
  let stream: ExecutionResult | AsyncGenerator<ExecutionResult>;
  try {
    stream = await engine.run(prepared, ctx);
  } catch (error) {
    forget(session, id, stop);
    throw error;
  }
  note(operation, Symbol.asyncIterator in stream ? undefined : stream.errors);
  if (!(Symbol.asyncIterator in stream)) {
    forget(session, id, stop);
    return stream;
  }
  const events = stream;
  return (async function* () {
    // Counted from here on: a client that completes it before it began ends it without a word to what is below.
    metrics.subscriptionStarted();
    try {
      for await (const event of events) {
        if (event.errors?.some(({ extensions }) => saysExpired(extensions)) === true) return session.expire();
        yield event;
      }
    } finally {
      metrics.subscriptionEnded();
      forget(session, id, stop);
    }
  })();
}

/** Counts an operation, or the opening of a socket, for the project that is asked. */
function note(
  {
    ctx,
    session,
    startedAt,
  }: Pick<Operation, 'ctx' | 'startedAt'> & { readonly session: Pick<ProjectSession, 'opening'> },
  errors: readonly GraphQLError[] | undefined,
  status?: number,
): void {
  const { projectId, path } = session.opening;
  ctx.subject?.name(projectId);
  noteSocketRequest(ctx, { route, path, startedAt, errors, ...(status === undefined ? {} : { status }) });
}

function forget({ running }: Session, id: string, stop: AbortController): void {
  if (running.get(id) === stop) running.delete(id);
}

async function openSession(
  { services, schemas, trustedProxies, host }: ProjectSocketsOptions,
  { request, projectId, socket }: SocketExtra,
  given: Readonly<Record<string, unknown>> | undefined,
): Promise<ProjectSession | Closing> {
  try {
    const address = clientAddress(request!, trustedProxies);
    const arrival = arrivalOf(request!, given, { address, host });
    const { path } = targetOf(request!);
    const opening = { schemas, projectId: projectId!, path, headers: shown(request!.headers) };
    const context = (signal: AbortSignal) => createContext(services, { ...arrival, traceId: newTraceId(), signal });
    const startedAt = performance.now();
    const ctx = context(new AbortController().signal);
    try {
      await openProject(ctx, opening);
      note({ ctx, session: { opening }, startedAt }, undefined, openedStatus);
    } catch (error) {
      const failed = new GraphQLError('The socket could not be opened.', { cause: error as Error });
      note({ ctx, session: { opening }, startedAt }, renderErrors([failed], ctx.request.traceId, services, projectId));
      throw error;
    }
    return { ...runningOperations(socket), context, opening };
  } catch (error) {
    return notOpened(services, error);
  }
}
