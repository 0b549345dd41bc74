/** A column of a table or view. */
export interface Column {
  readonly name: string;
  /** As PostgreSQL writes it, without a length: what a value is read as before it is assigned. */
  readonly type: string;
  /** Unless no row can have null there: a constraint is checked for all of them. */
  readonly nullable: boolean;
  /** SQL of what it takes when nothing is given, as PostgreSQL writes it; null when that is null. */
  readonly defaultSql: string | null;
  readonly generated: boolean;
  readonly identity: 'always' | 'by default' | null;
}

export type TableKind = 'table' | 'partitioned' | 'view' | 'materialized' | 'foreign';

/** A table, a view or whatever else holds rows. */
export interface Table {
  readonly oid: number;
  readonly name: string;
  readonly kind: TableKind;
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns of the primary key; for a view those that show one. */
  readonly primaryKey: readonly string[];
  readonly uniques: readonly (readonly string[])[];
  /** Rows of tables that inherit from it are among its own, and may have the same key. */
  readonly inherited: boolean;
  readonly rights: TableRights;
}

/** What roles may do with a table: texts of the letters r, a, w and d (select, insert, update, delete). */
export interface TableRights {
  readonly byRole: Readonly<Record<string, string>>;
  /** By role and column, where any column has rights of its own. */
  readonly ofColumns: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** What can be done with it at all, besides reading. */
  readonly writable: string;
}

export type ColumnPair = readonly [from: string, to: string];

/** The table between two others. */
export interface Junction {
  readonly table: string;
  readonly fromConstraint: string;
  readonly toConstraint: string;
  /** From the junction's columns to those of the origin. */
  readonly from: readonly ColumnPair[];
  /** From the junction's columns to those of the target. */
  readonly to: readonly ColumnPair[];
}

interface RelationshipEnds {
  readonly origin: string;
  readonly target: string;
  readonly targetIsView: boolean;
}

/** One way from the rows of a table to those of another. */
export type Relationship = RelationshipEnds &
  (
    | {
        readonly kind: 'many-to-one' | 'one-to-many' | 'one-to-one';
        readonly constraint: string;
        readonly pairs: readonly ColumnPair[];
      }
    | { readonly kind: 'many-to-many'; readonly junction: Junction }
    /** A function that takes a row and returns rows of another table. */
    | { readonly kind: 'computed'; readonly routine: string; readonly single: boolean }
  );

export const isToOne = (relationship: Relationship): boolean =>
  relationship.kind === 'computed'
    ? relationship.single
    : relationship.kind === 'many-to-one' || relationship.kind === 'one-to-one';

export interface RoutineArgument {
  /** Empty when it has none. */
  readonly name: string;
  /** As PostgreSQL writes it, with its schema where that is needed. */
  readonly type: string;
  readonly required: boolean;
  readonly variadic: boolean;
}

/** A function that can be called. */
export interface Routine {
  readonly oid: number;
  readonly name: string;
  readonly arguments: readonly RoutineArgument[];
  readonly returnsSet: boolean;
  /** It returns rows rather than plain values. */
  readonly returnsRows: boolean;
  /** The table whose rows it returns. */
  readonly returnsTable: string | null;
  readonly returnsVoid: boolean;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  /** The type it returns, or of which it returns any number. */
  readonly returns: string;
  /** Columns of the rows it returns, where it names them itself. */
  readonly outputs: readonly { readonly name: string; readonly type: string }[];
  /** Roles that may call it. */
  readonly callers: readonly string[];
}

/** What a project's schema `public` holds; never changed once made. */
export interface SchemaCache {
  readonly tables: ReadonlyMap<string, Table>;
  /** By the name of the table they begin at. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** Whether a change may set off code of the project's. */
  readonly hasTriggers: boolean;
  /** Reading a table may call a function of the project, or one that changes a session: by a view, a policy, a check. */
  readonly callsCode: boolean;
  /** Overloads by name. */
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** Labels by the type's name, as PostgreSQL writes it. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
  /** What a domain rests on, by its name. */
  readonly domains: ReadonlyMap<string, string>;
  /** Tables that the manifest marks as live. */
  readonly live: ReadonlySet<string>;
}

/** The schema whose tables are served. */
export const servedSchema = 'public';
