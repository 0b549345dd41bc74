import SchemaBuilder from '@pothos/core';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import ValidationPlugin from '@pothos/plugin-validation';
import { GraphQLError } from 'graphql';
import { ServiceError } from '../core/errors.ts';
import type { Context } from '../resolvers/context.ts';
import { decodeGlobalId, encodeGlobalId } from './global-id.ts';

/** The one Pothos builder. Types and fields are added by the files of this folder, one for each domain. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  DefaultInputFieldRequiredness: true;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
  };
  AuthScopes: {
    /** Any credential at all; what it may do is decided by the operation. */
    credential: boolean;
    platformAdmin: boolean;
  };
}>({
  plugins: [ScopeAuthPlugin, RelayPlugin, DataloaderPlugin, ValidationPlugin],
  defaultFieldNullability: false,
  defaultInputFieldRequiredness: true,
  relay: {
    cursorType: 'String',
    clientMutationId: 'omit',
    encodeGlobalID: encodeGlobalId,
    decodeGlobalID: decodeGlobalId,
    nodeQueryOptions: { description: 'An object by its global id; null when it is absent or not the caller’s to see.' },
    nodesQueryOptions: false,
    nodeTypeOptions: { description: 'An object with a global id.' },
    pageInfoTypeOptions: { description: 'Where a page of a connection ends, and whether there is more.' },
  },
  scopeAuth: {
    authScopes: (ctx) => ({
      credential: async () => (await ctx.caller()).kind !== 'nobody',
      platformAdmin: async () => (await ctx.caller()).kind === 'admin',
    }),
    unauthorizedError: () => new ServiceError('AUTH_REQUIRED'),
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
    const moment = new Date(typeof value === 'string' ? value : Number.NaN);
    if (Number.isNaN(moment.getTime())) throw new GraphQLError('A DateTime is an ISO 8601 string.');
    return moment;
  },
});

/** Arguments of a forward page: clamped to 200 rows by the operation, 50 unless told. */
export const pageArgs = builder.args((t) => ({
  first: t.int({ required: false, description: 'Rows on the page: 50 unless told, at most 200.' }),
  after: t.string({ required: false, description: 'Only what comes after this cursor.' }),
}));
