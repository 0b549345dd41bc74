import {
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { LiveHint, LiveResync } from '../../resolvers/live/live-hub.ts';
import { cursorOf, type LiveEvent } from '../../subscriptions/live/follow-live.ts';
import { keysOf, liveOps, resyncReasons } from '../live-words.ts';
import { scalars } from './scalars.ts';

/** Follows a live table for a request. */
export type SubscribeTo = (request: unknown, table: string, after: string | undefined) => AsyncIterable<LiveEvent>;

const liveOp = new GraphQLEnumType({
  name: 'LiveOp',
  description: 'What a statement did to rows.',
  values: liveOps,
});

const resyncReason = new GraphQLEnumType({
  name: 'LiveResyncReason',
  description: 'Why it cannot be told what has changed.',
  values: resyncReasons,
});

const field = <Source>(config: GraphQLFieldConfig<Source, unknown>) => config as GraphQLFieldConfig<unknown, unknown>;

const liveHint = new GraphQLObjectType({
  name: 'LiveHint',
  description: 'What one statement changed in a table; never row data.',
  fields: {
    table: { type: new GraphQLNonNull(GraphQLString), description: 'Name of the table in the database.' },
    op: { type: new GraphQLNonNull(liveOp), description: 'What happened to the rows.' },
    pk: field<LiveHint>({
      type: new GraphQLList(new GraphQLNonNull(scalars.JSON)),
      description: 'Primary keys of the rows, by column; null where only the table can be told.',
      resolve: ({ pk }) => keysOf(pk),
    }),
    n: { type: new GraphQLNonNull(GraphQLInt), description: 'Rows that were touched; 0 where they were not counted.' },
  },
});

const liveResync = new GraphQLObjectType({
  name: 'LiveResync',
  description: 'An order to fetch tables again: changes may have been missed.',
  fields: {
    tables: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))),
      description: 'The tables.',
    },
    reason: field<LiveResync>({ type: new GraphQLNonNull(resyncReason), description: 'Why.' }),
  },
});

/** The same as on the platform's own endpoint. */
export const liveEventType = new GraphQLObjectType({
  name: 'LiveHintEvent',
  description: 'One thing that a follower is told. One with neither a hint nor a resync says where following begins.',
  fields: {
    cursor: field<LiveEvent>({
      type: new GraphQLNonNull(GraphQLString),
      description: 'Resume with this as `after`: nothing is missed, nothing comes twice.',
      resolve: cursorOf,
    }),
    hint: field<LiveEvent>({
      type: liveHint,
      description: 'What has changed.',
      resolve: (event) => (event.kind === 'hint' ? event.hint : null),
    }),
    resync: field<LiveEvent>({
      type: liveResync,
      description: 'Set when the table has to be fetched again.',
      resolve: (event) => (event.kind === 'resync' ? event.resync : null),
    }),
  },
});
