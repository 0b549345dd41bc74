import type { Backstop } from './backstops.ts';
import type { Size } from './fill.ts';
import type { Cost, TableSize } from './measure.ts';

/** What was found at one size. */
export interface Step {
  readonly size: Size;
  readonly tables: readonly TableSize[];
  readonly databaseBytes: number;
  readonly costs: readonly (Cost & { readonly requestMs: number })[];
  readonly backstops: readonly Backstop[];
  /** Of one node under load. */
  readonly connections: readonly { readonly name: string; readonly count: number }[];
  /** What the database of a project without any rows takes. */
  readonly emptyProjectBytes: number;
}
