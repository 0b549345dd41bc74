import type { Extension } from '@codemirror/state';
import type { GraphQLSchema } from 'graphql';
import { loadCode } from '../load-code.ts';
import type { EditorProps } from './editor-props.ts';

/** Loads the language of an editor: its grammar, and the completion that knows the tables or the schema. */
export async function languageOf(
  language: EditorProps['language'],
  tables: EditorProps['tables'],
  schema: GraphQLSchema | undefined,
): Promise<Extension> {
  if (language === 'sql') {
    const { PostgreSQL, sql } = await loadCode(() => import('@codemirror/lang-sql'));
    return sql({ dialect: PostgreSQL, ...(tables === undefined ? {} : { schema: tables }) });
  }
  if (language === 'json') {
    const { json } = await loadCode(() => import('@codemirror/lang-json'));
    return json();
  }
  if (language === 'graphql') {
    const { graphql } = await loadCode(() => import('cm6-graphql'));
    return graphql(schema);
  }
  return [];
}
