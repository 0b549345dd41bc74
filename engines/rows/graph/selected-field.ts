import type { GraphColumn, GraphRelation, GraphRoutine, GraphTable } from './graph-model.ts';

/** What a field of a generated schema means. */
export type FieldMeaning =
  | { readonly kind: 'list'; readonly table: GraphTable }
  | { readonly kind: 'one'; readonly table: GraphTable }
  | { readonly kind: 'call'; readonly routine: GraphRoutine }
  | { readonly kind: 'insert' | 'upsert' | 'update' | 'delete'; readonly table: GraphTable }
  | { readonly kind: 'column'; readonly column: GraphColumn }
  | { readonly kind: 'relation'; readonly relation: GraphRelation }
  /** A part of a connection, of an edge, of a page or of what a change answers. */
  | { readonly kind: PartName };

export type PartName =
  | 'edges'
  | 'nodes'
  | 'pageInfo'
  | 'totalCount'
  | 'cursor'
  | 'node'
  | 'hasNextPage'
  | 'hasPreviousPage'
  | 'startCursor'
  | 'endCursor'
  | 'affectedCount'
  | 'rows';

export type Args = Readonly<Record<string, unknown>>;

/** A field of a request, with fragments spread and arguments read. */
export interface SelectedField {
  /** Under which it is answered. */
  readonly key: string;
  readonly meaning: FieldMeaning;
  readonly args: Args;
  readonly below: readonly SelectedField[];
}

/** A row as the database gives it, by the labels of a plan. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** Takes what a field is answered with out of a row. */
export type Reader = (row: JsonRow) => unknown;
