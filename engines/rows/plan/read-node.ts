import type { Condition } from '../request/filter.ts';
import type { Field } from '../request/names.ts';
import type { OrderTerm } from '../request/order.ts';
import type { Window } from '../request/query.ts';
import type { JoinKind, SelectField } from '../request/select.ts';
import type { Column, Relationship, Table } from '../schema/types.ts';

/** A relation of the answer with everything asked of it: the root, or what is embedded in another. */
export interface ReadNode {
  readonly table: Table | undefined;
  /** The table's name, from which relationships begin. */
  readonly tableName: string;
  /** The name under which a client speaks of it. */
  readonly name: string;
  /** How it hangs on its parent; undefined for the root. */
  readonly link: Link | undefined;
  readonly depth: number;
  readonly fields: readonly SelectField[];
  readonly children: readonly ReadNode[];
  readonly where: Where[];
  order: readonly OrderTerm[];
  window: Window | undefined;
}

export interface Link {
  readonly relationship: Relationship;
  readonly join: JoinKind;
  readonly spread: boolean;
  /** Name of the embedded rows inside the statement. */
  readonly alias: string;
}

/** Conditions, resolved to columns. */
export type Where =
  | { readonly kind: 'and' | 'or'; readonly negated: boolean; readonly members: readonly Where[] }
  | {
      readonly kind: 'filter';
      readonly field: Field;
      readonly column: Column | undefined;
      readonly condition: Condition;
    }
  /** Whether there are embedded rows. */
  | { readonly kind: 'embedded'; readonly child: ReadNode; readonly present: boolean }
  /** Whether there are related rows, which are not embedded otherwise: no more than what they must be is asked. */
  | { readonly kind: 'related'; readonly child: ReadNode; readonly present: boolean }
  /** That a row comes after a place in an order. */
  | { readonly kind: 'after'; readonly place: readonly PlaceTerm[] };

/** One column of an order, and the value of a place in it. */
export interface PlaceTerm {
  readonly field: Field;
  readonly column: Column;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
  /** As PostgreSQL writes it; null for none. */
  readonly value: string | null;
}
