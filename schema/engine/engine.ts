import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute as executeDocument,
  executeSubscriptionEvent,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  mapSourceToResponseEvent,
  type OperationDefinitionNode,
  type ValidatedSubscriptionArgs,
  validateSubscriptionArgs,
} from 'graphql';
import { ServiceError } from '../../core/errors.ts';
import type { LruBounds } from '../../core/lru.ts';
import { newTraceId } from '../../core/tracing.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { FeedSource } from '../../subscriptions/feed-source.ts';
import type { OpenedFeed } from '../../subscriptions/opened-feed.ts';
import { compile, type Plan } from './compile.ts';
import { checkCost } from './cost.ts';
import { Documents } from './documents.ts';
import { PersistedDocuments } from './persisted-documents.ts';
import { refusal, renderErrors } from './render-errors.ts';
import { runPlan } from './run-plan.ts';
import { sharingKey } from './sharing.ts';
import { withOwnNumbers } from './variable-numbers.ts';

/** A GraphQL request as it arrives, on whichever transport. */
export interface GraphQLRequest {
  readonly query?: string | null | undefined;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly extensions?: unknown;
}

/** A request that may run. */
export interface Prepared {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

/** A subscription that was let in. */
export interface OpenedSubscription {
  readonly opened: OpenedFeed<unknown, unknown>;
  /** Equal keys get the same answer to every event; undefined: the subscriber is alone. */
  readonly key: string | undefined;
  /** The answer to one event; for those who share it is made without any of them. */
  readonly execute: (event: unknown) => Promise<ExecutionResult>;
}

/** A subscription to events that only its subscriber reads. */
export interface OpenedStream {
  readonly stream: AsyncIterable<unknown>;
  readonly execute: (event: unknown) => Promise<ExecutionResult>;
}

export interface EngineOptions {
  /** Whether documents may ask for the schema itself. */
  readonly introspection: boolean;
  /** What may be kept of documents. @default what suits the one schema of the platform */
  readonly documents?: LruBounds;
}

/** What transports need of whoever answers their requests. */
export interface GraphQLEngine {
  readonly schema: GraphQLSchema;
  prepare(request: GraphQLRequest, traceId: string, readOnly?: boolean): Prepared | readonly GraphQLError[];
  runOnce(prepared: Prepared, ctx: Context): Promise<ExecutionResult>;
  run(prepared: Prepared, ctx: Context): Promise<ExecutionResult | AsyncGenerator<ExecutionResult>>;
}

/**
 * Parsing, limits, validation, persisted documents, execution and masking, the same for every transport: HTTP by Yoga,
 * sockets by graphql-ws. No transport changes an answer.
 */
export class Engine implements GraphQLEngine {
  readonly schema: GraphQLSchema;
  readonly #documents: Documents;
  readonly #persisted: PersistedDocuments;
  /** They live as long as the documents that are remembered, which count them. */
  readonly #plans = new WeakMap<OperationDefinitionNode, Plan | 'none'>();

  constructor(schema: GraphQLSchema, { introspection, documents }: EngineOptions) {
    this.schema = schema;
    this.#persisted = new PersistedDocuments(documents);
    this.#documents = new Documents(schema, { introspection, ...(documents && { bounds: documents }) });
  }

  /**
   * Everything that can be said before anything runs.
   *
   * @param readOnly whether the transport carries reads alone, as HTTP GET does
   */
  prepare(request: GraphQLRequest, traceId: string, readOnly = false): Prepared | readonly GraphQLError[] {
    const source = this.#persisted.resolve(request);
    if ('refuse' in source) return [refusal(source.refuse, traceId)];
    const prepared = this.#documents.prepare(source.source);
    if (!prepared.ok) {
      return prepared.errors.map((error) => {
        const refused = new ServiceError(prepared.code, {
          message: error.message,
          ...(prepared.details && { details: prepared.details }),
        });
        const { extensions } = refusal(refused, traceId);
        return new GraphQLError(error.message, { source: error.source, positions: error.positions, extensions });
      });
    }
    const { operationName } = request;
    const operation = getOperationAST(prepared.document, operationName);
    if (operation == null) return [refusal(noOperation(operationName), traceId)];
    if (readOnly && operation.operation === 'mutation') {
      const refused = new ServiceError('METHOD_NOT_ALLOWED', { message: 'A mutation has to be sent with POST.' });
      return [refusal(refused, traceId, { status: 405, headers: { Allow: 'POST' } })];
    }
    const variables = withOwnNumbers(this.schema, operation, request.variables);
    try {
      checkCost(prepared.cost, operationName, variables);
    } catch (error) {
      if (error instanceof ServiceError) return [refusal(error, traceId)];
      throw error;
    }
    return { document: prepared.document, operation, operationName, variables };
  }

  /**
   * Opens a prepared subscription for a transport that follows feeds once for many. What cannot be opened is answered
   * with its refusal.
   */
  async subscribe(prepared: Prepared, ctx: Context): Promise<ExecutionResult | OpenedSubscription | OpenedStream> {
    const { document, operation, operationName, variables } = prepared;
    const { schema } = this;
    const args = { schema, document, operationName, variableValues: variables };
    const validated = validateSubscriptionArgs({ ...args, contextValue: ctx });
    if (!('schema' in validated)) return this.#render({ errors: validated }, ctx);
    const source = await createSourceEventStream(validated);
    if (!(Symbol.asyncIterator in source)) return this.#render(source, ctx);
    if (!(source instanceof FeedSource)) return { stream: source, execute: this.#executor(validated, copiesOf(ctx)) };
    let opened: OpenedFeed<unknown, unknown>;
    try {
      opened = await source.open();
    } catch (error) {
      return this.renderEnd(error, ctx);
    }
    const { audience } = opened;
    const key = sharingKey({ schema, document, operation, variables, audience });
    const execute =
      key === undefined
        ? this.#executor(validated, copiesOf(ctx))
        : this.#executor({ ...validated, contextValue: undefined }, audienceContexts(ctx.services));
    return { opened, key, execute };
  }

  /** What a subscriber is told whose feed itself ended in a refusal, for example because its authority did. */
  renderEnd(error: unknown, ctx: Pick<Context, 'request' | 'services'>, projectId?: string): ExecutionResult {
    return this.#render({ errors: [new GraphQLError('The subscription ended.', { cause: error })] }, ctx, projectId);
  }

  /** Each event gets a context of its own: loaders that lived as long as the socket would serve stale rows. */
  #executor(validated: ValidatedSubscriptionArgs, contextFor: () => Context) {
    return async (event: unknown): Promise<ExecutionResult> => {
      const contextValue = contextFor();
      return this.#render(
        await executeSubscriptionEvent({ ...validated, rootValue: event, contextValue }),
        contextValue,
      );
    };
  }

  /**
   * Runs a prepared request that has one answer, by its plan where it has one. `run` is the reference, and the
   * generated operations show that both answer alike.
   */
  async runOnce(prepared: Prepared, ctx: Context): Promise<ExecutionResult> {
    const plan = this.#planOf(prepared);
    if (plan !== undefined) {
      const given = getVariableValues(
        this.schema,
        prepared.operation.variableDefinitions ?? [],
        prepared.variables ?? {},
      );
      if (given.errors === undefined) return this.#render(await runPlan(plan, given.variableValues, ctx), ctx);
    }
    return (await this.run(prepared, ctx)) as ExecutionResult;
  }

  #planOf({ document, operation }: Prepared): Plan | undefined {
    let plan = this.#plans.get(operation);
    if (plan === undefined) {
      const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
      for (const definition of document.definitions) {
        if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
      }
      plan = compile(this.schema, operation, fragments, (bytes) => this.#documents.grow(document, bytes)) ?? 'none';
      this.#plans.set(operation, plan);
    }
    return plan === 'none' ? undefined : plan;
  }

  /** Runs a prepared request; a subscription yields a result for each event until its caller stops or `ctx` aborts. */
  async run(prepared: Prepared, ctx: Context): Promise<ExecutionResult | AsyncGenerator<ExecutionResult>> {
    const several = oneKeyManyChanges(prepared, ctx);
    if (several !== undefined) return { errors: [refusal(several, ctx.request.traceId)] };
    const args = {
      schema: this.schema,
      document: prepared.document,
      operationName: prepared.operationName,
      variableValues: prepared.variables,
      contextValue: ctx,
    };
    if (prepared.operation.operation !== 'subscription') return this.#render(await executeDocument(args), ctx);
    const validated = validateSubscriptionArgs(args);
    if (!('schema' in validated)) return this.#render({ errors: validated }, ctx);
    const stream = await createSourceEventStream(validated);
    if (!(Symbol.asyncIterator in stream)) return this.#render(stream, ctx);
    // Each event gets a context of its own: loaders that lived as long as the socket would serve stale rows.
    const events = mapSourceToResponseEvent(validated, stream, (event) =>
      executeSubscriptionEvent({ ...event, operation: validated.operation, contextValue: { ...ctx } }),
    );
    return this.#renderEach(events, ctx);
  }

  async *#renderEach(events: AsyncGenerator<ExecutionResult>, ctx: Context): AsyncGenerator<ExecutionResult> {
    try {
      for await (const event of events) yield this.#render(event, ctx);
    } catch (error) {
      yield this.renderEnd(error, ctx);
    }
  }

  #render(
    result: ExecutionResult,
    ctx: Pick<Context, 'request' | 'services'>,
    projectId?: string | undefined,
  ): ExecutionResult {
    if (result.errors === undefined || result.errors.length === 0) return result;
    return { ...result, errors: renderErrors(result.errors, ctx.request.traceId, ctx.services, projectId) };
  }
}

// Not within a method, where every function holds what any of them needs: audiences outlive who began them.

const copiesOf = (ctx: Context) => (): Context => ({ ...ctx, causedByOthers: true });

/** Where what is for many is executed: nobody in particular asks, so a field that wants to know who does fails. */
const audienceContexts = (services: Services) => (): Context => ({
  services,
  request: { traceId: newTraceId(), address: '', baseUrl: '', idempotencyKey: undefined, writeApproval: undefined },
  caller: async () => {
    throw new Error('What is shared by an audience has no caller.');
  },
  credentials: {},
  chargeAddress: () => undefined,
  signal: neverAborted,
});

const neverAborted = new AbortController().signal;

const noOperation = (name: string | null | undefined) =>
  new ServiceError('VALIDATION_FAILED', {
    message:
      name == null ? 'The document has several operations; name one.' : `The document has no operation named ${name}.`,
    details: { field: 'operationName' },
  });

/** One header cannot be the key of several changes: each would be taken for a replay of the other. */
function oneKeyManyChanges({ operation }: Prepared, { request }: Context): ServiceError | undefined {
  if (request.idempotencyKey === undefined || operation.operation !== 'mutation') return undefined;
  const [first, ...rest] = operation.selectionSet.selections;
  if (first?.kind === 'Field' && rest.length === 0) return undefined;
  return new ServiceError('IDEMPOTENCY_KEY_INVALID', {
    message: 'The Idempotency-Key header goes with one mutation field; use `idempotencyKey` of each input instead.',
  });
}
