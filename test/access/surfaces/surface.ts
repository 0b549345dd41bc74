import type { Service } from '../../helpers/service.ts';
import type { stageMembers } from '../member-stage.ts';

/** What the tables of this folder try their paths and fields on. */
export interface Stage {
  readonly service: Service;
  /** What paths and fields name, by the names that paths have for it. */
  readonly params: Record<string, string>;
  readonly members: () => Awaited<ReturnType<typeof stageMembers>>;
}

/** The row of the audit log that a change writes, and a row of its own that it writes in the same transaction. */
export interface Audited {
  readonly action: string;
  readonly kind: string;
  /** The member of the answer that names the object; dots lead to one inside. */
  readonly objectId: string;
  /** The transaction that wrote the row of the object, `$1`. */
  readonly written: string;
}

/** A documented path and the field that offers the same, with what each credential is told there. */
export interface Surface {
  /** A letter for each caller: nobody wallet session operator delegate service_key anon_key admin. */
  readonly cells: string;
  /** For a path that the contract does not have: the status of its success, and why the path exists. */
  readonly addition?: { readonly status: number; readonly reason: string };
  readonly body?: () => object;
  readonly search?: () => string;
  /** Where a path tells outcomes apart by its status: that of this one. @default the route's */
  readonly status?: number;
  /** For a change: the row of the audit log that it writes. */
  readonly audited?: Audited;
  /** Makes what a change needs to find, each time that it is to take place. */
  readonly prepare?: () => Promise<Record<string, string> | undefined>;
  /** A document with the field; absent where there is none. */
  readonly field?: () => string;
  /** The letters of the field, where it wants more than the path does. */
  readonly fieldCells?: string;
}

export type Surfaces = Readonly<Record<string, Surface>>;
