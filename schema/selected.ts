import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** What was found for a field of a document, which stays as it is. */
const known = new WeakMap<FieldNode, Map<string, ReadonlySet<string>>>();

/**
 * The names of the fields that are selected below a field, at the end of `path`: for looking ahead. Directives are not
 * looked at, so it may be more than is answered.
 */
export function selectedBelow({ fieldNodes, fragments }: GraphQLResolveInfo, path: string): ReadonlySet<string> {
  const [node, ...more] = fieldNodes;
  if (more.length > 0) return find(fieldNodes, path, fragments);
  let byPath = known.get(node!);
  if (byPath === undefined) {
    byPath = new Map();
    known.set(node!, byPath);
  }
  let names = byPath.get(path);
  if (names === undefined) {
    names = find(fieldNodes, path, fragments);
    byPath.set(path, names);
  }
  return names;
}

function find(nodes: readonly FieldNode[], path: string, fragments: GraphQLResolveInfo['fragments']): Set<string> {
  let level = nodes;
  for (const step of path === '' ? [] : path.split('.')) {
    level = level.flatMap((node) => fieldsOf(node.selectionSet, fragments).filter(({ name }) => name.value === step));
  }
  return new Set(level.flatMap((node) => fieldsOf(node.selectionSet, fragments).map(({ name }) => name.value)));
}

function fieldsOf(selections: SelectionSetNode | undefined, fragments: GraphQLResolveInfo['fragments']): FieldNode[] {
  return (selections?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, fragments);
    return fieldsOf(fragments[selection.name.value]?.selectionSet, fragments);
  });
}
