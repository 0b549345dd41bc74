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
  validateSubscriptionArgs,
} from 'graphql';
import { ServiceError } from '../../core/errors.ts';
import type { Context } from '../../resolvers/context.ts';
import { compile, type Plan } from './compile.ts';
import { checkCost } from './cost.ts';
import { Documents } from './documents.ts';
import { PersistedDocuments } from './persisted-documents.ts';
import { refusal, renderErrors } from './render-errors.ts';
import { runPlan } from './run-plan.ts';

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

export interface EngineOptions {
  /** Whether documents may ask for the schema itself. */
  readonly introspection: boolean;
}

/**
 * Parsing, limits, validation, persisted documents, execution and masking, the same for every transport: HTTP by Yoga,
 * sockets by graphql-ws. No transport changes an answer.
 */
export class Engine {
  readonly schema: GraphQLSchema;
  readonly #documents: Documents;
  readonly #persisted = new PersistedDocuments();
  /** They live as long as the documents that are remembered. */
  readonly #plans = new WeakMap<OperationDefinitionNode, Plan | 'none'>();

  constructor(schema: GraphQLSchema, { introspection }: EngineOptions) {
    this.schema = schema;
    this.#documents = new Documents(schema, { introspection });
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
    const { operationName, variables } = request;
    const operation = getOperationAST(prepared.document, operationName);
    if (operation == null) return [refusal(noOperation(operationName), traceId)];
    if (readOnly && operation.operation === 'mutation') {
      const refused = new ServiceError('METHOD_NOT_ALLOWED', { message: 'A mutation has to be sent with POST.' });
      return [refusal(refused, traceId, { status: 405, headers: { Allow: 'POST' } })];
    }
    try {
      checkCost(prepared.cost, operationName, variables);
    } catch (error) {
      if (error instanceof ServiceError) return [refusal(error, traceId)];
      throw error;
    }
    return { document: prepared.document, operation, operationName, variables };
  }

  /**
   * Runs a prepared request that has one answer, by its plan where it has one. `run` is the reference, and ten thousand
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
      plan = compile(this.schema, operation, fragments) ?? 'none';
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
      // The feed itself ended in a refusal, for example because the caller's authority did.
      const failed = new GraphQLError('The subscription ended.', { cause: error });
      yield this.#render({ errors: [failed] }, ctx);
    }
  }

  #render(result: ExecutionResult, ctx: Context): ExecutionResult {
    if (result.errors === undefined || result.errors.length === 0) return result;
    return { ...result, errors: renderErrors(result.errors, ctx.request.traceId, ctx.services.log) };
  }
}

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
