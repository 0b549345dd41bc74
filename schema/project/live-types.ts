import { GraphQLEnumType, GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } from 'graphql';
import type { LiveEvent } from '../../resolvers/rows/live-hints.ts';
import { scalars } from './scalars.ts';

/** Follows a live table for a request. */
export type SubscribeTo = (request: unknown, table: string, after: string | undefined) => AsyncIterable<LiveEvent>;

const liveOperation = new GraphQLEnumType({
  name: 'LiveOperation',
  description: 'What was done.',
  values: { INSERT: { value: 'insert' }, UPDATE: { value: 'update' }, DELETE: { value: 'delete' } },
});

const liveHint = new GraphQLObjectType({
  name: 'LiveHint',
  description: 'That rows of a table changed. The rows themselves are to be read anew.',
  fields: {
    table: { type: new GraphQLNonNull(GraphQLString), description: 'Name of the table in the database.' },
    op: { type: new GraphQLNonNull(liveOperation), description: 'What was done.' },
    pk: {
      type: new GraphQLList(new GraphQLNonNull(scalars.JSON)),
      description: 'Primary keys of the rows, by column; null when any row of the table may have changed.',
    },
    n: { type: new GraphQLNonNull(GraphQLInt), description: 'How many rows.' },
  },
});

export const liveEventType = new GraphQLObjectType({
  name: 'LiveEvent',
  description: 'A change, or that some may have been missed.',
  fields: {
    cursor: { type: new GraphQLNonNull(GraphQLString), description: 'Where to resume: for `after`.' },
    hint: { type: liveHint, description: 'The change; null when changes may have been missed.' },
    resync: {
      type: GraphQLString,
      description: 'Why changes may have been missed, so that all is to be read anew; null for a change.',
    },
  },
});
