import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import ValidationPlugin from '@pothos/plugin-validation';
import { type GraphQLSchema, isObjectType } from 'graphql';
import { z } from 'zod';
import { ServiceError } from '../core/errors.ts';
import { isJsonObject } from '../core/exact-json.ts';
import { textFault } from '../core/text.ts';
import { asRefusal } from '../kernel/run/as-refusal.ts';
import type { Context } from '../kernel/run/context.ts';
import { concerning } from '../kernel/run/correlation.ts';
import CredentialPlugin from './credential-plugin.ts';
import DataloaderPlugin from './dataloader-plugin.ts';
import { decodeGlobalId, encodeGlobalId } from './global-id.ts';
import { jsonOfLiteral, literalOfJson } from './json-literals.ts';

/** The one Pothos builder. Types and fields are added by the files of this folder, one for each domain. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  DefaultInputFieldRequiredness: true;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    JSONObject: { Input: Readonly<Record<string, unknown>>; Output: Readonly<Record<string, unknown>> };
  };
}>({
  plugins: [CredentialPlugin, RelayPlugin, DataloaderPlugin, ValidationPlugin],
  defaultFieldNullability: false,
  defaultInputFieldRequiredness: true,
  relay: {
    cursorType: 'String',
    clientMutationId: 'omit',
    encodeGlobalID: encodeGlobalId,
    decodeGlobalID: decodeGlobalId,
    nodeQueryOptions: {
      description: 'An object by its global id; null when it is absent or not the caller’s to see.',
      args: { id: { description: 'Global id, `<Type>_<native id>`.' } },
      // Any text may be asked for: what cannot be an id is the id of nothing.
      resolve: async (_root, { id: { typename, id } }, ctx, { schema }, resolveNode) => {
        if (!isNodeType(schema, typename) || textFault(id) !== undefined) return null;
        // Without a credential nothing can be seen, so nothing is looked up.
        if ((await ctx.caller()).kind === 'nobody') return null;
        // A loader tells of what failed by its value, too.
        const found = await Promise.resolve(resolveNode({ typename, id })).catch((error: unknown) => error);
        if (!(found instanceof Error)) return found;
        throw typename === 'Project' ? concerning(asRefusal(found), id) : found;
      },
    },
    nodesQueryOptions: false,
    nodeTypeOptions: { description: 'An object with a global id.' },
    idFieldOptions: { description: 'Global id, `<Type>_<native id>`.', extensions: { sameForAll: true } },
    pageInfoTypeOptions: { description: 'Where a page of a connection ends, and whether there is more.' },
    hasNextPageFieldOptions: { description: 'Whether rows follow the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether rows come before the page.' },
    startCursorFieldOptions: { description: 'Cursor of the first row; null for an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of the last row; null for an empty page.' },
    edgesFieldOptions: { description: 'The rows of the page, in the order of the list.' },
    pageInfoFieldOptions: { description: 'Where the page ends, and whether there is more.' },
    cursorFieldOptions: { description: 'Where the row stands: for `after` and `before`.' },
    nodeFieldOptions: { description: 'The row itself.' },
    defaultConnectionTypeOptions: { description: 'A page of a list.' },
    defaultEdgeTypeOptions: { description: 'A row of a page.' },
  },
  validation: {
    validationError: ({ issues }) => {
      const fields = issues.map(({ path, message }) => ({
        field: (path ?? []).map((part) => (typeof part === 'object' ? part.key : part)).join('.'),
        reason: message,
      }));
      return new ServiceError('VALIDATION_FAILED', {
        message: fields.map(({ field, reason }) => `${field}: ${reason}`).join('; '),
        details: { ...fields[0], fields },
      });
    },
  },
});

const withZone = z.iso.datetime({ offset: true });
/**
 * Marks a field that is worked out, and whose answer depends on its parent and its arguments alone: subscribers may be
 * given it together. Columns that are shown as they are need no mark.
 */
export const sameForAll = { extensions: { sameForAll: true } } as const;

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({
  description: 'Everything that can be changed. Each field takes one input and returns what it changed.',
});
builder.subscriptionType({ description: 'Feeds that can be followed. Each event carries a cursor to resume from.' });

builder.scalarType('DateTime', {
  description: 'A moment in UTC, ISO 8601 with milliseconds, for example `2026-03-06T00:00:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => {
    const moment = withZone.safeParse(value);
    if (!moment.success) throw new TypeError('A DateTime is an ISO 8601 string with a time zone.');
    return new Date(moment.data);
  },
});

builder.scalarType('JSON', {
  description: 'Any value of JSON.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-3',
  serialize: (value) => value,
  coerceInputValue: (value) => value,
  coerceInputLiteral: jsonOfLiteral,
  valueToLiteral: literalOfJson,
});

builder.scalarType('JSONObject', {
  description: 'A JSON object whose members are the caller’s own, or differ from row to row.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  serialize: (value) => value,
  coerceInputValue: jsonObjectOf,
  coerceInputLiteral: (node) => jsonObjectOf(jsonOfLiteral(node)),
  valueToLiteral: literalOfJson,
});

function jsonObjectOf(value: unknown): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  throw new TypeError('A JSONObject is an object.');
}

const rowCount = z.int('must be a whole number').min(1, 'must be at least 1').nullish();

/** Arguments of a page, forward or backward: clamped to 200 rows, 50 unless told. See `windowOf`. */
export const pageArgs = builder.args((t) => ({
  first: t.int({
    required: false,
    description: 'Rows on the page: 50 unless told, at most 200.',
    validate: rowCount,
  }),
  after: t.string({ required: false, description: 'Only what comes after this cursor.' }),
  last: t.int({
    required: false,
    description: 'Rows on a page that is read backwards: the last ones.',
    validate: rowCount,
  }),
  before: t.string({ required: false, description: 'Only what comes before this cursor, read backwards.' }),
}));

const isNodeType = (schema: GraphQLSchema, name: string): boolean => {
  const type = schema.getType(name);
  return isObjectType(type) && type.getInterfaces().some((one) => one.name === 'Node');
};
