import { dropNulls } from '../core/drop-nulls.ts';
import type { LiveHint, LiveResync } from '../resolvers/live/live-hub.ts';
import type { LiveEvent } from '../subscriptions/live/follow-live.ts';
import { followProjectLive } from '../subscriptions/live/follow-project-live.ts';
import { builder } from './builder.ts';
import { nativeId } from './global-id.ts';

const LiveOpEnum = builder.enumType('LiveOp', {
  description: 'What a statement did to rows.',
  values: {
    INSERT: { value: 'insert', description: 'Rows are new, or new to their owner.' },
    UPDATE: { value: 'update', description: 'Rows have changed.' },
    DELETE: { value: 'delete', description: 'Rows are gone, or gone for their owner.' },
  } as const,
});

const LiveResyncReasonEnum = builder.enumType('LiveResyncReason', {
  description: 'Why it cannot be told what has changed.',
  values: {
    CURSOR_EXPIRED: { value: 'cursor_expired', description: 'The cursor is older than what is kept.' },
    LISTENER_RECONNECT: { value: 'listener_reconnect', description: 'The gateway had lost its own connection.' },
    SLOT_RESET: { value: 'slot_reset', description: 'What is kept was set back.' },
    FOREIGN_EPOCH: { value: 'foreign_epoch', description: 'The cursor is of another database or of another past.' },
    BEFORE_LISTEN: { value: 'before_listen', description: 'The tables became live after the cursor.' },
  } as const,
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
      resolve: ({ pk }) => (pk === null ? null : (JSON.parse(pk) as Record<string, unknown>[])),
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

const cursorOf = (event: LiveEvent): string =>
  event.kind === 'hint' ? event.hint.cursor : event.kind === 'resync' ? event.resync.cursor : event.cursor;

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

builder.subscriptionField('liveHints', (t) =>
  t.field({
    type: LiveHintEventRef,
    description: 'What changes in live tables of a project: from a cursor on, then as it is committed.',
    args: {
      project: t.arg.id({ description: 'Project, by global or native id.' }),
      tables: t.arg.stringList({ description: 'Live tables to follow, at most 20.' }),
      after: t.arg.string({ required: false, description: 'Cursor to resume from; from now on when absent.' }),
    },
    subscribe: (_root, { project, tables, ...rest }, ctx) =>
      followProjectLive(ctx, { project: nativeId('Project', project), tables, ...dropNulls(rest) }),
    resolve: (event) => event,
  }),
);
