import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { FieldMeaning, SelectedField } from '../../engines/rows/graph/selected-field.ts';

export type Variables = GraphQLResolveInfo['variableValues'];

export interface Collecting {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Variables;
}

export const fragmentsOf = (definitions: readonly { readonly kind: string }[]): Collecting['fragments'] =>
  new Map(
    definitions
      .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
      .map((one) => [one.name.value, one]),
  );

/**
 * The fields of an operation that mean something in a database, fragments spread and arguments read. What asks about
 * the schema itself is left to the executor.
 */
export function askedOf(collecting: Collecting, operation: OperationDefinitionNode): SelectedField[] {
  const root = collecting.schema.getRootType(operation.operation);
  return root == null ? [] : below(collecting, root, [operation.selectionSet]);
}

function below(collecting: Collecting, type: GraphQLObjectType, sets: readonly SelectionSetNode[]): SelectedField[] {
  const grouped = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (!isIncluded(collecting, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = grouped.get(key);
        if (nodes === undefined) grouped.set(key, [selection]);
        else nodes.push(selection);
        continue;
      }
      // There are no abstract types, so a fragment that was found valid is for this very type.
      if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
      else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        visit(collecting.fragments.get(selection.name.value)!.selectionSet);
      }
    }
  };
  for (const set of sets) visit(set);
  return [...grouped].flatMap(([key, nodes]): SelectedField[] => {
    const field = collecting.schema.getField(type, nodes[0]!.name.value);
    const meaning = field?.extensions.meaning as FieldMeaning | undefined;
    if (field === undefined || meaning === undefined) return [];
    const inside = getNamedType(field.type);
    const sub = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
    return [
      {
        key,
        meaning,
        args: getArgumentValues(field, nodes[0]!, collecting.variables),
        below: isObjectType(inside) ? below(collecting, inside, sub) : [],
      },
    ];
  });
}

function isIncluded({ variables }: Collecting, selection: SelectionNode): boolean {
  if ((selection.directives?.length ?? 0) === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if !== false;
}
