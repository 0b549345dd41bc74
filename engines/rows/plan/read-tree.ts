import { refusals } from '../errors.ts';
import type { Condition } from '../request/filter.ts';
import type { Logic } from '../request/logic.ts';
import type { Field } from '../request/names.ts';
import type { EmbedPath, RowQuery } from '../request/query.ts';
import type { SelectEmbed, SelectItem } from '../request/select.ts';
import { isToOne, type SchemaCache } from '../schema/types.ts';
import { findRelationship } from './find-relationship.ts';
import type { ReadNode, Where } from './read-node.ts';

/** Relations that one request may embed. */
const embedsMax = 100;

/**
 * Resolves a query against the schema: what it embeds, and what belongs to which relation.
 *
 * @param root the table that is read; for a function the table whose rows it returns, or its own name
 * @param whereOfRoot whether conditions on the root filter what is read; in a change they choose what is changed
 * @throws PGRST108, PGRST118, PGRST120, PGRST127, PGRST200, PGRST201
 */
export function readTree(cache: SchemaCache, root: string, query: RowQuery, whereOfRoot: boolean): ReadNode {
  const counter = { embeds: 0 };
  const node: ReadNode = {
    ...emptyNode(cache, root),
    name: root,
    link: undefined,
    depth: 0,
    ...partsOf(cache, root, query.select, 0, counter),
  };
  for (const { path, field, condition } of query.filters) {
    if (whereOfRoot || path.length > 0) at(node, path).where.push(filterOf(at(node, path), field, condition));
  }
  for (const { path, logic } of query.logic) {
    if (whereOfRoot || path.length > 0) at(node, path).where.push(whereOf(at(node, path), logic));
  }
  for (const { path, terms } of query.order) at(node, path).order = terms;
  for (const { path, limit, offset } of query.windows.values()) at(node, path).window = { limit, offset };
  checkOrders(node);
  checkSpreads(node, false);
  return node;
}

const emptyNode = (cache: SchemaCache, tableName: string) => ({
  table: cache.tables.get(tableName),
  tableName,
  where: [],
  order: [],
  window: undefined,
});

function partsOf(
  cache: SchemaCache,
  table: string,
  items: readonly SelectItem[],
  depth: number,
  counter: { embeds: number },
): Pick<ReadNode, 'fields' | 'children'> {
  return {
    fields: items.filter((item) => item.kind === 'field'),
    children: items
      .filter((item) => item.kind === 'embed')
      .map((embed) => childOf(cache, table, embed, depth + 1, counter)),
  };
}

function childOf(
  cache: SchemaCache,
  origin: string,
  embed: SelectEmbed,
  depth: number,
  counter: { embeds: number },
): ReadNode {
  counter.embeds += 1;
  if (counter.embeds > embedsMax) throw refusals.notOffered(`At most ${embedsMax} relations can be embedded at once.`);
  const relationship = findRelationship(cache, origin, embed.relation, embed.hint);
  const alias = `svc_embed_${counter.embeds}`;
  return {
    ...emptyNode(cache, relationship.target),
    name: embed.alias ?? embed.relation,
    link: { relationship, join: embed.join ?? 'left', spread: embed.spread, alias },
    depth,
    ...partsOf(cache, relationship.target, embed.items, depth, counter),
  };
}

/** @throws PGRST108 when something on the way is not embedded */
function at(root: ReadNode, path: EmbedPath): ReadNode {
  let node = root;
  for (const name of path) {
    const child = childNamed(node, name);
    if (child === undefined) throw refusals.notEmbedded(name);
    node = child;
  }
  return node;
}

/** By the alias, where it has one. */
const childNamed = (node: ReadNode, name: string): ReadNode | undefined =>
  node.children.find((child) => child.name === name);

function filterOf(node: ReadNode, field: Field, condition: Condition): Where {
  const column = node.table?.columns.get(field.name);
  const child = field.path.length > 0 ? undefined : node.children.find((one) => one.name === field.name);
  if (child === undefined) return { kind: 'filter', field, column, condition };
  const { operation, negated } = condition;
  if (operation.kind === 'is' && (operation.identity === 'null' || operation.identity === 'not_null'))
    return { kind: 'embedded', child, present: (operation.identity === 'not_null') !== negated };
  // A column that an embedded relation goes by is a column still.
  if (column !== undefined) return { kind: 'filter', field, column, condition };
  throw refusals.embedFilter(child.name);
}

/** Resolves conditions, nested ones too. */
export function whereOf(node: ReadNode, logic: Logic): Where {
  if (logic.kind === 'filter') return filterOf(node, logic.field, logic.condition);
  return { kind: logic.kind, negated: logic.negated, members: logic.members.map((member) => whereOf(node, member)) };
}

/** @throws PGRST108, PGRST118 */
function checkOrders(node: ReadNode): void {
  for (const { relation } of node.order) {
    if (relation === undefined) continue;
    const child = node.children.find((one) => one.name === relation);
    if (child === undefined) throw refusals.notEmbedded(relation);
    if (!isToOne(child.link!.relationship)) throw refusals.orderNotToOne(node.tableName, child.name);
  }
  for (const child of node.children) checkOrders(child);
}

/** @throws PGRST127 for a sum over what is spread out of many rows */
function checkSpreads(node: ReadNode, manySpread: boolean): void {
  if (manySpread && node.fields.some(({ aggregate }) => aggregate !== undefined))
    throw refusals.notOffered('Aggregates are not implemented for one-to-many or many-to-many spreads.');
  for (const child of node.children) {
    const { spread, relationship } = child.link!;
    checkSpreads(child, spread && (manySpread || !isToOne(relationship)));
  }
}
