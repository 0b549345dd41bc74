import { dropNulls } from '../core/drop-nulls.ts';
import type { LiveHint, LiveResync } from '../resolvers/live/live-hub.ts';
import { openLive } from '../resolvers/live/open-live.ts';
import { cursorOf, type LiveEvent } from '../subscriptions/live/follow-live.ts';
import { followProjectLive } from '../subscriptions/live/follow-project-live.ts';
import { builder } from './builder.ts';
import { keysOf, liveOps, resyncReasons } from './live-words.ts';
import { inputsOf } from './operation-field.ts';

const LiveOpEnum = builder.enumType('LiveOp', {
  description: 'What a statement did to rows.',
  values: liveOps,
});

const LiveResyncReasonEnum = builder.enumType('LiveResyncReason', {
  description: 'Why it cannot be told what has changed.',
  values: resyncReasons,
});

const LiveHintRef = builder.objectRef<LiveHint>('LiveHint').implement({
  description: 'What one statement changed in one table; never row data.',
  fields: (t) => ({
    table: t.exposeString('table', { description: 'The table.' }),
    op: t.expose('op', { type: LiveOpEnum, description: 'What happened to the rows.' }),
    pk: t.field({
      type: ['JSONObject'],
      nullable: true,
      description: 'Primary keys of the rows; null where only the table can be told.',
      resolve: ({ pk }) => keysOf(pk),
    }),
    n: t.exposeInt('n', { description: 'Rows that were touched; 0 where they were not counted.' }),
  }),
});

const LiveResyncRef = builder.objectRef<LiveResync>('LiveResync').implement({
  description: 'An order to fetch tables again: changes may have been missed.',
  fields: (t) => ({
    tables: t.exposeStringList('tables', { description: 'The tables.' }),
    reason: t.expose('reason', { type: LiveResyncReasonEnum, description: 'Why.' }),
  }),
});

const LiveHintEventRef = builder.objectRef<LiveEvent>('LiveHintEvent').implement({
  description: 'One thing that a follower is told. One with neither a hint nor a resync says where following begins.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Resume with this as `after`: nothing is missed, nothing comes twice.',
      resolve: cursorOf,
    }),
    hint: t.field({
      type: LiveHintRef,
      nullable: true,
      description: 'What has changed.',
      resolve: (event) => (event.kind === 'hint' ? event.hint : null),
    }),
    resync: t.field({
      type: LiveResyncRef,
      nullable: true,
      description: 'Set when tables have to be fetched again.',
      resolve: (event) => (event.kind === 'resync' ? event.resync : null),
    }),
  }),
});

const opened = inputsOf(openLive);

builder.subscriptionField('liveHints', (t) =>
  t.field({
    type: LiveHintEventRef,
    description: 'What changes in live tables of a project: from a cursor on, then as it is committed.',
    args: {
      ...opened.args,
      after: t.arg.string({ required: false, description: 'Cursor to resume from; from now on when absent.' }),
    },
    subscribe: (_root, { after, ...args }, ctx) =>
      followProjectLive(ctx, { ...opened.read(args), ...dropNulls({ after }) }),
    resolve: (event) => event,
  }),
);
