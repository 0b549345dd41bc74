import { everything } from '../request/names.ts';
import type { SchemaCache } from '../schema/types.ts';
import type { ReadNode, Where } from './read-node.ts';

/**
 * Whether a function of the project may run while rows are read, by whatever stands behind a table or by what is asked
 * of it. A function can leave settings on its session, a read-only one too.
 */
export const callsCode = (cache: SchemaCache, root: ReadNode): boolean => cache.callsCode || computes(root);

/** A name that is no column is a function of the row. */
function computes({ table, fields, order, where, children, link }: ReadNode): boolean {
  const isComputed = (name: string) => name !== everything && table?.columns.has(name) !== true;
  return (
    link?.relationship.kind === 'computed' ||
    fields.some(({ field }) => isComputed(field.name)) ||
    order.some(({ relation, field }) => relation === undefined && isComputed(field.name)) ||
    where.some(isComputedIn) ||
    children.some(computes)
  );
}

function isComputedIn(where: Where): boolean {
  switch (where.kind) {
    case 'filter':
      return where.column === undefined;
    case 'and':
    case 'or':
      return where.members.some(isComputedIn);
    case 'related':
      return computes(where.child);
    // What is embedded is looked at among the children; a place is made of columns.
    case 'embedded':
    case 'after':
      return false;
  }
}
