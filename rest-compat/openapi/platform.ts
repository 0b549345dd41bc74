import { z } from 'zod';
import type { AnyOperation } from '../../kernel/run/operation.ts';
import { errorRows } from '../../resolvers/index.ts';
import type { Place } from '../inputs.ts';
import type { Method } from '../rest-request.ts';
import type { Route } from '../route.ts';
import { inputForm, referenceTo, SchemaPrinter } from './json-schema.ts';
import type { JsonSchema } from './path-doc.ts';

const info = (version: string) => ({
  title: 'svc gateway',
  version,
  summary: 'Organizations, projects, rooms, events, escalations and failures over REST.',
  description: [
    'Every documented path that an operation answers. Whoever may call one signs in by one of the schemes below; which',
    'credential is good for what is said in the documentation. Refusals are an envelope with a stable `code`.',
    '',
    'What is sold under `/api` is described at `/openapi.json`; rows of a project under `/rest/v1` speak the dialect of',
    'PostgREST, and its users sign in under `/auth/v1`.',
  ].join('\n'),
});

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

const securitySchemes = {
  wallet: header('SIGN-IN-WITH-X', 'A message of EIP-4361 signed by a wallet, as JSON in base64.'),
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a session or of a delegate, or a key of a project.',
  },
  projectKey: header('apikey', 'A key of a project.'),
  admin: header('X-Admin-Key', 'The key of the platform admin.'),
} as const;

/** The body of a refusal. Contract 01, section 1.13. */
export const Refusal = z
  .object({
    error: z.string(),
    message: z.string(),
    code: z.enum(Object.keys(errorRows).toSorted()).describe('Stable: what to branch on.'),
    category: z.string(),
    source: z.literal('gateway'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    safe_to_retry: z.boolean().describe('Whether repeating it can change nothing twice.'),
    mutation_state: z.enum(['none', 'not_started', 'committed', 'rolled_back', 'partial', 'unknown']),
    trace_id: z.string(),
    details: z.record(z.string(), z.unknown()),
    next_actions: z.array(z.looseObject({ type: z.string() })).describe('What could be done now.'),
    retry_after: z.number().optional().describe('Seconds to wait.'),
    weak_password: z
      .object({ reasons: z.array(z.string()) })
      .optional()
      .describe('Under `/auth/v1`: why it is weak.'),
    error_code: z.string().optional().describe('Under `/auth/v1`: the code as published sign-in clients know it.'),
  })
  .meta({ id: 'Refusal' });

/** A path of the server's own, which no operation answers and anybody may read. */
export interface OwnDoc {
  readonly path: string;
  /** Unique, for example `service.status`. */
  readonly operationId: string;
  readonly summary: string;
  readonly answer: z.ZodType;
  /** Every status that has the answer. */
  readonly statuses: readonly number[];
}

/**
 * The description of the platform's paths in OpenAPI 3.1, read off the routes and their operations: all but those
 * under `/api`, which `/openapi.json` describes, and the pages that people meet.
 *
 * @param baseUrl where the gateway is reached for certain; undefined: where the document was found
 */
export function platformDocument(
  routes: readonly Route[],
  operations: readonly AnyOperation[],
  {
    version,
    baseUrl,
    own,
  }: { readonly version: string; readonly baseUrl: string | undefined; readonly own: readonly OwnDoc[] },
): JsonSchema {
  const printer = new SchemaPrinter();
  printer.print(Refusal, 'output');
  const byName = new Map(operations.map((operation) => [operation.name as string, operation]));
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const names = new Map<string, number>();
  for (const route of routes) {
    const { places } = route;
    if (route.path.startsWith('/api/') || places === undefined) continue;
    const operation = byName.get(route.operation)!;
    const turn = (names.get(operation.name) ?? 0) + 1;
    names.set(operation.name, turn);
    const item = (paths[route.path.replace(/:(\w+)/g, '{$1}')] ??= {});
    item[route.method.toLowerCase()] = {
      operationId: turn === 1 ? operation.name : `${operation.name}.${turn}`,
      summary: operation.summary,
      tags: [operation.name.split('.')[0]],
      ...requestOf(route, operation, places),
      responses: responsesOf(route, operation, printer),
    };
  }
  for (const { path, operationId, summary, answer, statuses } of own) {
    const content = { 'application/json': { schema: printer.print(answer, 'output') } };
    const [tag] = operationId.split('.');
    const responses = Object.fromEntries(
      statuses.map((status) => [status, { description: status < 300 ? 'Success.' : 'It is not well.', content }]),
    );
    paths[path] = { get: { operationId, summary, tags: [tag], security: [], responses } };
  }
  return {
    openapi: '3.1.0',
    info: info(version),
    servers: [{ url: baseUrl ?? '/' }],
    security: [{}, ...Object.keys(securitySchemes).map((scheme) => ({ [scheme]: [] }))],
    paths,
    components: { schemas: printer.components, securitySchemes },
  };
}

const idempotencyKey = {
  in: 'header',
  name: 'Idempotency-Key',
  description: 'The same key with the same body changes something once.',
  schema: { type: 'string', minLength: 1, maxLength: 256 },
} as const;

/** Parameters and body of a path. */
function requestOf(
  { method, textAs }: Route,
  operation: AnyOperation,
  places: Readonly<Record<string, Place>>,
): JsonSchema {
  const { properties = {}, required = [] } = inputForm(operation.input);
  const schemaOf = (input: string) => (properties as Readonly<Record<string, JsonSchema>>)[input] ?? {};
  const placed = Object.entries(places);
  const parameters: JsonSchema[] = placed.flatMap(([input, place]) => {
    if (place.in === 'body') return [];
    const { description, ...schema } = schemaOf(input);
    const needed = place.in === 'path' || required.includes(input);
    return [{ in: place.in, name: place.name, description: description ?? '', required: needed, schema }];
  });
  if (operation.kind === 'mutation')
    parameters.push({ ...idempotencyKey, required: operation.idempotency === 'required' });
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(method, placed, schemaOf, required, textAs),
  };
}

function bodyOf(
  method: Method,
  placed: readonly (readonly [string, Place])[],
  schemaOf: (input: string) => JsonSchema,
  required: readonly string[],
  textAs: string | undefined,
): JsonSchema {
  const members = placed.filter(([, place]) => place.in === 'body');
  if (method === 'GET' || members.length === 0) return {};
  const whole = members.find(([, { name }]) => name === undefined);
  const needed = members.filter(([input]) => required.includes(input)).map(([, { name }]) => name!);
  const schema =
    whole === undefined
      ? {
          type: 'object',
          properties: Object.fromEntries(members.map(([input, { name }]) => [name!, schemaOf(input)])),
          ...(needed.length === 0 ? {} : { required: needed }),
        }
      : schemaOf(whole[0]);
  return {
    requestBody: {
      required: whole !== undefined || needed.length > 0,
      content: {
        'application/json': { schema },
        ...(textAs === undefined ? {} : { 'text/plain': { schema: { type: 'string' } } }),
      },
    },
  };
}

function responsesOf(
  { status, statuses = [status], hasMarkdown, answersBytes }: Route,
  { wire }: AnyOperation,
  printer: SchemaPrinter,
): JsonSchema {
  const success = {
    description: 'Success.',
    content: {
      ...(answersBytes === true
        ? { '*/*': { schema: { type: 'string', format: 'binary' } } }
        : { 'application/json': { schema: printer.print(wire, 'output') } }),
      ...(hasMarkdown === true ? { 'text/markdown': { schema: { type: 'string' } } } : {}),
    },
  };
  return {
    ...Object.fromEntries(statuses.map((one) => [one, success])),
    default: { description: 'A refusal.', content: { 'application/json': { schema: referenceTo('Refusal') } } },
  };
}
