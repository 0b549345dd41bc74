import { refusals } from '../errors.ts';
import type { ReadNode } from '../plan/read-node.ts';
import type { RowRole } from '../request/row-request.ts';
import type { GraphRelation } from './graph-model.ts';

/** Gives cursors out and takes them back. */
export interface Cursors {
  readonly seal: (view: string, position: string) => string;
  /** Undefined for a cursor that the view did not give out. */
  readonly open: (view: string, cursor: string) => string | undefined;
}

/** What the fields at the root of one request have in common. */
export interface WholeRequest {
  /** There are several, each with a statement of its own: their answers are bounded together. */
  readonly several: boolean;
  /** It changes something, so that its answer is read when all of it is committed. */
  readonly changes: boolean;
  /** What the names in its answer take; values are counted by the database. */
  nameBytes: number;
}

/** What is counted while a request is planned. */
export interface PlanState {
  readonly role: RowRole;
  readonly cursors: Cursors;
  readonly whole: WholeRequest;
  readonly maxAffected: number | undefined;
  /** JSON of the project's own is read, whose numbers keep their digits. */
  holdsJson: boolean;
  embeds: number;
  conditions: number;
}

/** Relations that one field at the root may embed or ask about. */
const embedsMax = 100;

/** A node for rows related to another's. */
export function linked(state: PlanState, parent: Pick<ReadNode, 'depth'>, relation: GraphRelation): MutableNode {
  state.embeds += 1;
  if (state.embeds > embedsMax) throw refusals.notOffered(`At most ${embedsMax} relations can be embedded at once.`);
  const { relationship, target } = relation;
  return {
    table: target.table,
    tableName: target.table.name,
    name: '',
    link: { relationship, join: 'left', spread: false, alias: `svc_embed_${state.embeds}` },
    depth: parent.depth + 1,
    fields: [],
    children: [],
    where: [],
    order: [],
    window: undefined,
  };
}

/** A node that is still being put together. */
export interface MutableNode extends Omit<ReadNode, 'name' | 'fields' | 'children'> {
  name: string;
  fields: ReadNode['fields'][number][];
  children: ReadNode[];
}
