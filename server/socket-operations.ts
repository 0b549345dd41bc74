import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { ServiceError } from '../core/errors.ts';
import type { Context, RequestFacts, Services } from '../kernel/run/context.ts';
import type { Engine, GraphQLRequest, OpenedStream, OpenedSubscription, Prepared } from '../schema/engine/engine.ts';
import { refusal } from '../schema/engine/render-errors.ts';
import { Audiences } from '../subscriptions/audiences.ts';
import { followStream } from '../subscriptions/stream-follower.ts';
import type { Metrics } from './metrics.ts';
import { noteSocketRequest } from './note-exchange.ts';
import { Payload } from './socket-frames.ts';
import type { Session } from './socket-session.ts';
import { SocketSubscription, type SubscriptionOwner } from './socket-subscription.ts';
import type { Outbox, SocketWriter } from './socket-writer.ts';

/** Operations that may be under way on one socket. */
export const operationsMax = 100;

/** What the operations of one socket have in common. */
interface Place {
  readonly session: Session;
  readonly writer: SocketWriter;
}

interface Operation extends Place {
  readonly id: string;
  readonly prepared: Prepared;
  readonly stop: AbortController;
  readonly ctx: Context;
  readonly startedAt: number;
}

export interface SocketOperationsOptions {
  readonly services: Services;
  readonly engine: Engine;
  readonly metrics: Metrics;
  readonly outbox: Outbox;
}

/** Runs what clients ask for over sockets, between the protocol and the engine. */
export class SocketOperations implements SubscriptionOwner {
  readonly #services: Services;
  readonly #engine: Engine;
  readonly #metrics: Metrics;
  readonly #audiences: Audiences;

  constructor({ services, engine, metrics, outbox }: SocketOperationsOptions) {
    this.#services = services;
    this.#engine = engine;
    this.#metrics = metrics;
    this.#audiences = new Audiences(services, () => outbox.rested());
  }

  /** What the protocol is to run, or why it is not to. */
  prepare({ session, writer }: Place, id: string, request: GraphQLRequest): ExecutionArgs | readonly GraphQLError[] {
    const stop = new AbortController();
    const startedAt = performance.now();
    const ctx = session.context(stop.signal);
    const { traceId } = ctx.request;
    if (session.running.size >= operationsMax) return [refusal(tooManyOperations(), traceId)];
    const prepared = this.#engine.prepare(request, traceId);
    if (!('document' in prepared)) return prepared;
    session.running.set(id, stop);
    const operation: Operation = { id, prepared, stop, session, writer, ctx, startedAt };
    const { document, operationName } = prepared;
    return { schema: this.#engine.schema, document, operationName, contextValue: operation };
  }

  async execute({ contextValue }: ExecutionArgs): Promise<ExecutionResult> {
    const operation = contextValue as Operation;
    try {
      const result = (await this.#engine.run(operation.prepared, operation.ctx)) as ExecutionResult;
      note(operation, result.errors);
      return result;
    } finally {
      forget(operation);
    }
  }

  async subscribe(args: ExecutionArgs): Promise<ExecutionResult | SocketSubscription> {
    const operation = args.contextValue as Operation;
    // The protocol keeps the arguments for as long as the subscription lasts.
    args.contextValue = undefined;
    const { id, prepared, stop, session, writer, ctx } = operation;
    let opened: ExecutionResult | OpenedSubscription | OpenedStream;
    try {
      opened = await this.#engine.subscribe(prepared, ctx);
    } finally {
      forget(operation);
    }
    note(operation, 'execute' in opened ? undefined : opened.errors);
    if (!('execute' in opened)) return opened;
    const { running } = session;
    const subscription = new SocketSubscription({ id, writer, session, request: ctx.request, owner: this });
    this.#metrics.subscriptionStarted();
    // Completed before it began; its id may be another one's by now.
    if (stop.signal.aborted) {
      subscription.abort();
      return subscription;
    }
    running.set(id, subscription);
    try {
      this.#run(opened, subscription);
    } catch (error) {
      subscription.abort();
      return this.renderEnd(error, ctx.request);
    }
    return subscription;
  }

  #run(source: OpenedSubscription | OpenedStream, subscription: SocketSubscription): void {
    const { execute } = source;
    const render = async (event: unknown) => {
      this.#metrics.eventExecuted();
      return new Payload(await execute(event));
    };
    subscription.run(
      'stream' in source
        ? followStream(source.stream, render, subscription)
        : this.#audiences.subscribe({ opened: source.opened, key: source.key, render, reader: subscription }),
    );
  }

  renderEnd(error: unknown, request: RequestFacts, projectId?: string): ExecutionResult {
    return this.#engine.renderEnd(error, { services: this.#services, request }, projectId);
  }

  subscriptionEnded(): void {
    this.#metrics.subscriptionEnded();
  }
}

/** Counts an operation for the project whose key it came with. */
const note = ({ ctx, startedAt }: Operation, errors: readonly GraphQLError[] | undefined) =>
  noteSocketRequest(ctx, { route: '/graphql', path: '/graphql', startedAt, errors });

function forget({ id, stop, session: { running } }: Operation): void {
  if (running.get(id) === stop) running.delete(id);
}

export const tooManyOperations = () =>
  new ServiceError('RATE_LIMITED', {
    message: `At most ${operationsMax} operations run on one socket.`,
    retryAfter: 1,
    details: { retry_after: 1, limit: operationsMax },
  });
