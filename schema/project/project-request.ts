import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  executeSubscriptionEvent,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getVariableValues,
  mapSourceToResponseEvent,
  validateSubscriptionArgs,
} from 'graphql';
import { ServiceError } from '../../core/errors.ts';
import { RowError } from '../../engines/rows/errors.ts';
import { planRoot } from '../../engines/rows/graph/plan-root.ts';
import type { SelectedField } from '../../engines/rows/graph/selected-field.ts';
import { outdatedStates } from '../../engines/rows/schema-caches.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { RowCaller } from '../../resolvers/rows/authenticate-rows.ts';
import { asServiceError, committed, graphCursors, runGraph } from '../../resolvers/rows/run-graph.ts';
import type { RequestSettings } from '../../resolvers/rows/run-rows.ts';
import type { GraphQLEngine, GraphQLRequest, Prepared } from '../engine/engine.ts';
import { refusal, renderErrors } from '../engine/render-errors.ts';
import { askedOf, fragmentsOf, type Variables } from './collect.ts';
import type { ProjectSchema, ProjectSchemas } from './project-schemas.ts';
import type { SubscribingContext } from './subscribe-to-table.ts';

export interface ProjectRequestOptions {
  readonly schemas: ProjectSchemas;
  readonly caller: RowCaller;
  readonly settings: RequestSettings;
  /** Under which a change is made once: of HTTP, where a request is one operation. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * One request inside a project, as its caller: the engine that HTTP, SSE and sockets hand it to. It begins with the
 * schema that is known, and goes on with a newer one when that may know better.
 */
export class ProjectRequest implements GraphQLEngine {
  readonly #options: ProjectRequestOptions;
  #schema: ProjectSchema;

  constructor(options: ProjectRequestOptions, schema: ProjectSchema) {
    this.#options = options;
    this.#schema = schema;
  }

  static async open(options: ProjectRequestOptions): Promise<ProjectRequest> {
    return new ProjectRequest(options, await options.schemas.of(options.caller));
  }

  get schema(): GraphQLSchema {
    return this.#schema.engine.schema;
  }

  prepare(request: GraphQLRequest, traceId: string, readOnly = false): Prepared | readonly GraphQLError[] {
    const tooDeep = depthOf(request.variables) > variablesDepthMax;
    if (tooDeep) return [refusal(tooDeepVariables(), traceId)];
    return this.#schema.engine.prepare(request, traceId, readOnly);
  }

  /** To be called before a request is prepared that may ask for what was made a moment ago. */
  async renewFor(request: GraphQLRequest, traceId: string): Promise<void> {
    const prepared = this.prepare(request, traceId);
    if ('document' in prepared || prepared[0]?.extensions.code !== 'GRAPHQL_VALIDATION_FAILED') return;
    await this.#renew();
  }

  /** @returns whether there is a newer schema */
  async #renew(): Promise<boolean> {
    const { schemas, caller } = this.#options;
    const newer = await schemas.renew(caller, this.#schema);
    if (newer === this.#schema) return false;
    this.#schema = newer;
    return true;
  }

  async runOnce(prepared: Prepared, ctx: Context): Promise<ExecutionResult> {
    const startedAt = performance.now();
    const { operation } = prepared.operation;
    const result = await this.#runOnce(prepared, ctx);
    const code = (result.errors?.[0]?.extensions.code as string | undefined) ?? 'OK';
    ctx.services.observe(`rows.graphql.${operation}`, code, (performance.now() - startedAt) / 1000);
    return result;
  }

  async #runOnce(prepared: Prepared, ctx: Context): Promise<ExecutionResult> {
    try {
      return this.#render(await this.#execute(prepared, ctx), ctx);
    } catch (error) {
      // All was undone, so that it can be done again by what there is now.
      if (!(error instanceof RowError) || !outdatedStates.has(error.code) || !(await this.#renew()))
        return this.#render(failed(error), ctx);
    }
    const { document, operationName, variables } = prepared;
    const again = this.prepare({ query: document.loc!.source.body, operationName, variables }, ctx.request.traceId);
    if (!('document' in again)) return { errors: again };
    try {
      return this.#render(await this.#execute(again, ctx), ctx);
    } catch (error) {
      return this.#render(failed(error), ctx);
    }
  }

  /** @throws RowError of the database, with nothing done */
  async #execute({ document, operation, operationName, variables }: Prepared, ctx: Context): Promise<ExecutionResult> {
    const { caller, settings, idempotencyKey: key } = this.#options;
    const { schema } = this;
    const given = getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {});
    if (given.errors !== undefined) return { errors: given.errors };
    const asked = this.#askedOf(document, operation, given.variableValues);
    const cursors = graphCursors(ctx.services, caller.target.projectId);
    const maxAffected = caller.target.maxAffected ?? undefined;
    const readOnly = operation.operation === 'query';
    const whole = { several: asked.length > 1, changes: !readOnly, nameBytes: 0 };
    const plans = asked.map((one) => {
      try {
        return planRoot({ cache: this.#schema.cache, role: caller.role, cursors, whole, maxAffected }, one);
      } catch (error) {
        throw at(one, error);
      }
    });
    const written = JSON.stringify(variables ?? {});
    const change =
      key === undefined ? undefined : { key, asked: [document.loc!.source.body, operationName ?? undefined, written] };
    const values =
      plans.length === 0
        ? []
        : await runGraph(ctx, { caller, settings, plans, readOnly, change }).catch((error: unknown) => {
            throw asked.length === 1 ? at(asked[0]!, error) : error;
          });
    const rootValue: Record<string, unknown> = Object.create(null);
    for (const [index, { key }] of asked.entries()) rootValue[key] = values[index];
    const result = (await execute({
      schema,
      document,
      operationName,
      variableValues: variables,
      rootValue,
      fieldResolver: byKey,
    })) as ExecutionResult;
    if (readOnly || result.errors === undefined) return result;
    return { ...result, errors: result.errors.map((error) => afterCommit(error, ctx)) };
  }

  #askedOf(document: Prepared['document'], operation: Prepared['operation'], variables: Variables): SelectedField[] {
    return askedOf({ schema: this.schema, fragments: fragmentsOf(document.definitions), variables }, operation);
  }

  async run(prepared: Prepared, ctx: Context): Promise<ExecutionResult | AsyncGenerator<ExecutionResult>> {
    if (prepared.operation.operation !== 'subscription') return this.runOnce(prepared, ctx);
    const { document, operationName, variables } = prepared;
    const contextValue: SubscribingContext = { ctx, caller: this.#options.caller };
    const validated = validateSubscriptionArgs({
      schema: this.schema,
      document,
      operationName,
      variableValues: variables,
      contextValue,
    });
    if (!('schema' in validated)) return this.#render({ errors: validated }, ctx);
    const stream = await createSourceEventStream(validated);
    if (!(Symbol.asyncIterator in stream)) return this.#render(stream, ctx);
    const events = mapSourceToResponseEvent(validated, stream, (event) => executeSubscriptionEvent(event));
    return this.#renderEach(events, ctx);
  }

  async *#renderEach(events: AsyncGenerator<ExecutionResult>, ctx: Context): AsyncGenerator<ExecutionResult> {
    try {
      for await (const event of events) yield this.#render(event, ctx);
    } catch (error) {
      yield this.#render({ errors: [new GraphQLError('The subscription ended.', { cause: error })] }, ctx);
    }
  }

  #render(result: ExecutionResult, { request, services }: Context): ExecutionResult {
    if (result.errors === undefined || result.errors.length === 0) return result;
    const { projectId } = this.#options.caller.target;
    return { ...result, errors: renderErrors(result.errors, request.traceId, services, projectId) };
  }
}

/** What a field's value is found under: the same key that it is answered under. */
const byKey: GraphQLFieldResolver<unknown, unknown> = (source, _args, _ctx, { path }) =>
  (source as Readonly<Record<string, unknown>>)[path.key as string];

/** Says which field a refusal is about, where that is known. */
class FieldRefusal extends Error {
  readonly path: readonly string[];

  constructor({ key }: SelectedField, cause: unknown) {
    super('A field was refused.', { cause });
    this.path = [key];
  }
}

/** An error in an answer whose change is made. */
function afterCommit(error: GraphQLError, ctx: Context): GraphQLError {
  const { message, nodes, source, positions, path } = error;
  const originalError = committed(ctx, error.originalError ?? error);
  return new GraphQLError(message, { nodes, source, positions, path, originalError });
}

const at = (asked: SelectedField, error: unknown): unknown =>
  error instanceof RowError && outdatedStates.has(error.code) ? error : new FieldRefusal(asked, error);

function failed(error: unknown): ExecutionResult {
  const cause = asServiceError(error instanceof FieldRefusal ? error.cause : error);
  const path = error instanceof FieldRefusal ? error.path : undefined;
  const message = cause instanceof Error ? cause.message : 'Something went wrong.';
  return { data: null, errors: [new GraphQLError(message, { cause, ...(path && { path }) })] };
}

/** Deepest nesting of variables: each level is a call inside a call. */
const variablesDepthMax = 100;

const tooDeepVariables = () =>
  new ServiceError('GRAPHQL_LIMIT_EXCEEDED', {
    message: `Variables have at most ${variablesDepthMax} levels.`,
    details: { limit: 'variables', allowed: variablesDepthMax },
  });

/** Levels of a value; counted without calls inside each other, and no further than is needed. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= variablesDepthMax) {
    const next: unknown[] = [];
    for (const one of level)
      if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) next.push(inner);
    level = next;
    depth += 1;
  }
  return depth;
}
