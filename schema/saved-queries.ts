import type { SavedQuery } from '../db/schema/saved-queries.ts';
import { deleteQuery } from '../resolvers/saved-queries/delete-query.ts';
import { listQueries } from '../resolvers/saved-queries/list-queries.ts';
import { saveQuery } from '../resolvers/saved-queries/save-query.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const SavedQueryRef = builder.objectRef<SavedQuery>('SavedQuery').implement({
  description: 'SQL that the developers of a project keep for each other.',
  fields: (t) => ({
    queryId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    name: t.exposeString('name', { description: 'What people call it.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it is for.' }),
    sql: t.exposeString('sql', { description: 'The SQL.' }),
    version: t.exposeInt('version', { description: 'Rises with each change; a change names the one that it read.' }),
    updatedBy: t.exposeString('updatedBy', {
      nullable: true,
      description: 'Who changed it last, `prn_…`; null for the key of the project.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

const SavedQueryConnection = builder.connectionObject({ type: SavedQueryRef, name: 'SavedQueryConnection' });

builder.objectField(ProjectRef, 'savedQueries', (t) =>
  t.field({
    type: SavedQueryConnection,
    nullable: true,
    ...fieldOf(listQueries),
    args: pageArgs,
    resolve: async ({ id }, page, ctx) =>
      listConnection(await run(listQueries, ctx, { project: id, ...listWindowOf(page) }), page),
  }),
);

changeField('saveQuery', saveQuery, {
  type: SavedQueryRef,
  input: 'SQL to keep.',
  argument: 'The query.',
  ids: { query: null },
  result: ({ query }) => query,
});

changeField('deleteQuery', deleteQuery, {
  type: SavedQueryRef,
  input: 'A saved query to delete.',
  argument: 'The query.',
  ids: { query: null },
});
