import {
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
  parse,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { schema } from '../../schema/schema.ts';

const roots = new Set([schema.getQueryType(), schema.getMutationType()]);

const fieldOf = (name: string, selections?: readonly FieldNode[]): FieldNode => ({
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: name },
  ...(selections === undefined ? {} : { selectionSet: { kind: Kind.SELECTION_SET, selections: [...selections] } }),
});

const scalarsOf = (type: GraphQLObjectType): FieldNode[] =>
  Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument))
    .map(({ name }) => fieldOf(name));

/** The object that an edge of a list leads to. */
function rowsOf(type: GraphQLObjectType): FieldNode[] {
  const node = getNamedType(type.getFields().node?.type);
  return isObjectType(node) ? [fieldOf('node', scalarsOf(node))] : [];
}

/** A document that asks for every scalar of the objects at its ends. */
export function widen(document: string): string {
  const types = new TypeInfo(schema);
  const widened = visit(
    parse(document),
    visitWithTypeInfo(types, {
      SelectionSet: {
        leave(node) {
          const type = types.getParentType();
          // What is only on the way is not the answer.
          const leads = node.selections.some((one) => one.kind === Kind.FIELD && one.selectionSet !== undefined);
          if (!isObjectType(type) || roots.has(type) || leads) return undefined;
          const has = new Set(node.selections.map((one) => (one.kind === Kind.FIELD ? one.name.value : '')));
          const more = [...scalarsOf(type), ...rowsOf(type)].filter(({ name }) => !has.has(name.value));
          return { ...node, selections: [...node.selections, ...more] };
        },
      },
    }),
  );
  return print(widened);
}
