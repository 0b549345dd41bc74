import { z } from 'zod';
import type { Operation } from '../kernel/run/operation.ts';
import type { InputSources } from './inputs.ts';
import { inputForm } from './openapi/json-schema.ts';
import type { ApiDoc, JsonSchema, ParameterDoc, PathDoc } from './openapi/path-doc.ts';
import { either, type Route, type RouteOptions, route } from './route.ts';

/** Largest body of a request under `/api`, in bytes. Contract 00, section 6.3. */
const bodyBytesMax = 64 * 1024;

/**
 * Maps a path of the audit gateway onto an operation, as {@link route} does, and describes it: parameters, body and
 * answer are read off the operation and the mapping, and `doc` says what those do not. An alias is a route of its own.
 */
export function apiRoute<Input extends z.ZodObject, Scope, Output, Wire>(
  method: 'GET' | 'POST',
  path: string,
  op: Operation<Input, Scope, Output, Wire>,
  inputs: InputSources<z.input<Input>>,
  doc: ApiDoc,
  options: RouteOptions<Output> = {},
): Route {
  const mapped = route(method, path, 200, op, inputs, options);
  return { ...mapped, bodyBytesMax, describe: () => describe(mapped, method, op, withZip(doc, options)) };
}

/** Whether everything of a free answer is asked for, which costs something. */
const unlocks = (unlock: unknown): boolean => ['1', 1, 'true', true].includes(unlock as string);

/**
 * A path that is free, and sells all of what it shows when `unlock` is asked for, in its query or its body. Its
 * challenge is of version 2 in the body too. Contract 00, section 1.4.
 */
export const unlockable = (sold: Route, free: Route): Route => ({
  ...either(({ query, body }) => unlocks(query.unlock) || unlocks(body.unlock), sold, free),
  describe: () => bothOf(sold.describe!(), free.describe!()),
});

const unlock = {
  description: 'Whether everything is wanted, for the price of the 402: `1` or `true`.',
  schema: { enum: ['1', 'true'] },
} as const;

function bothOf(sold: PathDoc, free: PathDoc): PathDoc {
  const { body, parameters = [] } = free;
  const { schema } = body ?? {};
  const members = { ...(schema?.properties as JsonSchema), unlock: { enum: ['1', 'true', 1, true] } };
  return {
    ...free,
    parameters: [...parameters, { in: 'query', name: 'unlock', required: false, ...unlock }],
    ...(body === undefined ? {} : { body: { ...body, schema: { ...schema, properties: members } } }),
    answer: z.union([free.answer!, sold.answer!]),
    doc: {
      ...free.doc,
      refusals: [...new Set([...(free.doc.refusals ?? []), ...(sold.doc.refusals ?? [])])],
      paid: { ...sold.doc.paid!, version: 2, onRequest: true, proof: false },
    },
  };
}

/** A client that accepts it gets the archive itself. */
const withZip = <Output>(doc: ApiDoc, { asZip }: RouteOptions<Output>): ApiDoc =>
  asZip === undefined ? doc : { ...doc, media: ['application/zip'] };

/** With what an operation says of its price. */
function withPrice<Input extends z.ZodObject, Scope, Output, Wire>(
  op: Operation<Input, Scope, Output, Wire>,
  doc: ApiDoc,
): ApiDoc {
  const facet = 'price' in op ? op.price : undefined;
  if (facet?.family !== 'gateway') return doc;
  const { amount, description, maxTimeoutSeconds } = facet.price;
  const paid = { amount, description, maxTimeoutSeconds, proof: facet.proofInput !== undefined };
  return { ...doc, paid, refusals: [...(doc.refusals ?? []), 'PAYMENTS_UNAVAILABLE'] };
}

/** Something a request brings, with the input of the operation that it becomes. */
interface InputSource {
  readonly from: 'path' | 'query' | 'body';
  readonly name: string;
  readonly input: string;
}

const parts = ['path', 'query', 'body'] as const;

const askedOf = (sources: Required<Route>['sources']): readonly InputSource[] =>
  parts.flatMap((from) =>
    Object.entries(sources).flatMap(([input, places]) =>
      places.flatMap((place) => (place.in === from ? [{ from, name: place.name ?? input, input }] : [])),
    ),
  );

function describe<Input extends z.ZodObject, Scope, Output, Wire>(
  { path, sources = {} }: Route,
  method: 'GET' | 'POST',
  op: Operation<Input, Scope, Output, Wire>,
  given: ApiDoc,
): PathDoc {
  const doc = withPrice(op, given);
  const isKeyed = op.kind === 'mutation' && doc.paid === undefined;
  const { properties = {}, required = [] } = inputForm(op.input);
  const schemaOf = ({ input }: InputSource): JsonSchema =>
    (properties as Readonly<Record<string, JsonSchema>>)[input] ?? { type: 'string' };
  const asked = askedOf(sources);
  const parameters = asked
    .filter(({ from }) => from !== 'body')
    .map((one): ParameterDoc => {
      const { description, ...schema } = schemaOf(one);
      const inPath = one.from === 'path';
      return {
        in: inPath ? 'path' : 'query',
        name: one.name,
        description: String(description ?? ''),
        required: inPath || required.includes(one.input),
        schema,
      };
    });
  const members = asked.filter(({ from }) => from === 'body');
  const needed = members.filter(({ input }) => required.includes(input)).map(({ name }) => name);
  const demanded = [...new Set([...needed, ...(doc.requires ?? [])])];
  return {
    method,
    path,
    summary: op.summary,
    parameters: isKeyed ? [...parameters, idempotencyKey] : parameters,
    ...(method === 'GET'
      ? {}
      : {
          body: {
            required: needed.length > 0,
            component: op.input.meta()?.id,
            schema: {
              type: 'object',
              properties: Object.fromEntries(members.map((one) => [one.name, schemaOf(one)])),
              ...(demanded.length === 0 ? {} : { required: demanded }),
            },
          },
        }),
    answer: op.wire,
    budgeted: op.budget !== undefined,
    doc: isKeyed ? { ...doc, refusals: [...(doc.refusals ?? []), 'IDEMPOTENCY_KEY_REUSED'] } : doc,
  };
}

const idempotencyKey: ParameterDoc = {
  in: 'header',
  name: 'Idempotency-Key',
  description: 'The same key with the same body changes something once.',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 256 },
};
