import type { Column, Relationship, Routine, RoutineArgument, Table } from '../schema/types.ts';
import type { ValueType } from './value-types.ts';

/** A column, as one role sees it. */
export interface GraphColumn {
  readonly name: string;
  readonly column: Column;
  readonly value: ValueType;
  readonly readable: boolean;
  readonly insertable: boolean;
  readonly updatable: boolean;
}

export interface GraphRelation {
  readonly name: string;
  readonly relationship: Relationship;
  readonly isToOne: boolean;
  readonly target: GraphTable;
}

/** A table or a view, or the rows of a function that names its columns itself, as one role sees it. */
export interface GraphTable {
  readonly table: Table;
  readonly typeName: string;
  readonly fieldName: string;
  readonly columns: readonly GraphColumn[];
  /** Names of the columns that the role may read. */
  readonly readable: readonly GraphColumn[];
  /** To rows that the role may read. */
  readonly relations: readonly GraphRelation[];
  /** Columns that tell each row from every other, all of them readable; undefined: nothing is known to. */
  readonly key: readonly GraphColumn[] | undefined;
  /** The primary key, where it can be asked for. */
  readonly primaryKey: readonly GraphColumn[] | undefined;
  readonly can: { readonly insert: boolean; readonly update: boolean; readonly delete: boolean };
  readonly isLive: boolean;
}

export interface GraphArgument {
  readonly name: string;
  readonly argument: RoutineArgument;
  readonly value: ValueType;
}

export type GraphResult =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'value'; readonly value: ValueType }
  | { readonly kind: 'rows'; readonly table: GraphTable }
  /** Rows whose columns are unknown. */
  | { readonly kind: 'records' };

export interface GraphRoutine {
  readonly name: string;
  readonly typeName: string;
  readonly routine: Routine;
  readonly arguments: readonly GraphArgument[];
  readonly result: GraphResult;
}

/** What one role may see of a project, under the names that GraphQL has for it. */
export interface GraphModel {
  readonly tables: readonly GraphTable[];
  readonly queries: readonly GraphRoutine[];
  readonly mutations: readonly GraphRoutine[];
}
