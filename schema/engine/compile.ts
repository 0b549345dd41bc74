import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  type ValueNode,
  type VariableNode,
} from 'graphql';

/** What is done with a value of a field: the type, taken apart once. */
export type Shape =
  | { readonly kind: 'leaf'; readonly nonNull: boolean; readonly coerce: (value: unknown) => unknown }
  | { readonly kind: 'list'; readonly nonNull: boolean; readonly item: Shape }
  | { readonly kind: 'object'; readonly nonNull: boolean; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly nonNull: boolean; readonly type: GraphQLAbstractType };

/** A field as one place of a document selects it. */
export interface Field {
  /** Under which it is answered. */
  readonly key: string;
  readonly def: GraphQLField<unknown, unknown>;
  /** Undefined: the property of the field's own name. */
  readonly resolve: Resolve | undefined;
  /** The property that it is, where it is no more than one. */
  readonly property: string | undefined;
  readonly parent: GraphQLObjectType;
  readonly nodes: readonly FieldNode[];
  readonly shape: Shape;
  /** The arguments of a call: an object of its own. Throws as the reference executor does. */
  readonly argumentsFor: (variables: VariableValues) => Record<string, unknown>;
  /** The fields selected of a value of a type, found when the type is first met. */
  readonly below: (type: GraphQLObjectType) => readonly Field[];
}

/** Values of variables, as GraphQL's own coercion gives them. */
export type VariableValues = GraphQLResolveInfo['variableValues'];

export type Resolve = NonNullable<GraphQLField<unknown, unknown>['resolve']>;

/** What a laid out field takes in memory, roughly: itself, its shape, its functions and the map of what is below. */
const bytesPerField = 800;

/** A query whose fields are laid out once, for `runPlan`. */
export interface Plan {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly fields: readonly Field[];
}

/**
 * Lays out a validated query, or says undefined of what the reference executor is to run: changes and subscriptions,
 * documents with directives, questions about the schema itself, and names that an object of JavaScript would take amiss.
 *
 * @param grew told how many bytes the plan takes, and how many more whenever it comes to know a type
 */
export function compile(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
  grew: (bytes: number) => void = () => {},
): Plan | undefined {
  const root = schema.getQueryType();
  if (operation.operation !== 'query' || root == null || (operation.directives?.length ?? 0) > 0) return undefined;
  for (const { selectionSet, directives } of [operation, ...Object.values(fragments)]) {
    if ((directives?.length ?? 0) > 0 || !isPlain(selectionSet)) return undefined;
  }
  const layOut: LayOut = (type, around) => {
    const fields = fieldsOf(schema, fragments, type, around, layOut);
    grew((fields.length + 1) * bytesPerField);
    return fields;
  };
  return { schema, operation, fragments, fields: layOut(root, [operation]) };
}

/** Whether a selection says nothing that would have to be decided when it runs. */
function isPlain({ selections }: SelectionSetNode): boolean {
  return selections.every((selection) => {
    if ((selection.directives?.length ?? 0) > 0) return false;
    if (selection.kind === Kind.FRAGMENT_SPREAD) return true;
    if (selection.kind === Kind.INLINE_FRAGMENT) return isPlain(selection.selectionSet);
    const { name, alias } = selection;
    if (alias?.value === '__proto__' || name.value === '__schema' || name.value === '__type') return false;
    return selection.selectionSet === undefined || isPlain(selection.selectionSet);
  });
}

/** Lays out what is selected of a type. */
type LayOut = (
  type: GraphQLObjectType,
  around: readonly { readonly selectionSet?: SelectionSetNode | undefined }[],
) => readonly Field[];

function fieldsOf(
  schema: GraphQLSchema,
  fragments: Plan['fragments'],
  type: GraphQLObjectType,
  around: Parameters<LayOut>[1],
  layOut: LayOut,
): readonly Field[] {
  const grouped = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const matches = ({
    typeCondition,
  }: Pick<FragmentDefinitionNode, 'typeCondition'> | { typeCondition?: undefined }) => {
    if (typeCondition === undefined) return true;
    const condition = typeFromAST(schema, typeCondition);
    return condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
  };
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = grouped.get(key);
        if (nodes === undefined) grouped.set(key, [selection]);
        else nodes.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (matches(selection as { typeCondition?: undefined })) visit(selection.selectionSet);
      } else {
        const fragment = fragments[selection.name.value];
        if (fragment === undefined || visited.has(selection.name.value) || !matches(fragment)) continue;
        visited.add(selection.name.value);
        visit(fragment.selectionSet);
      }
    }
  };
  for (const { selectionSet } of around) if (selectionSet !== undefined) visit(selectionSet);
  return [...grouped].flatMap(([key, nodes]): Field[] => {
    const def = schema.getField(type, nodes[0]!.name.value);
    if (def === undefined) return [];
    const known = new Map<GraphQLObjectType, readonly Field[]>();
    return [
      {
        key,
        def,
        resolve: def.resolve === defaultFieldResolver ? undefined : def.resolve,
        property: propertyOf(def),
        parent: type,
        nodes,
        shape: shapeOf(def.type),
        argumentsFor: argumentsOf(def, nodes[0]!),
        below(inner) {
          let fields = known.get(inner);
          if (fields === undefined) {
            fields = layOut(inner, nodes);
            known.set(inner, fields);
          }
          return fields;
        },
      },
    ];
  });
}

/**
 * Takes the arguments of a field apart once: those that a variable gives alone, and all others, which are the same in each
 * call. Arguments that hold variables somewhere inside are left to GraphQL.js, and so is whatever is refused.
 */
function argumentsOf(def: GraphQLField<unknown, unknown>, node: FieldNode): Field['argumentsFor'] {
  if (def.args.length === 0) return () => noArguments;
  const asReference = (variables: VariableValues) => getArgumentValues(def, node, variables);
  const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  if ([...given.values()].some(holdsVariables)) return asReference;
  const isVariable = ({ name }: GraphQLArgument) => given.get(name)?.kind === Kind.VARIABLE;
  const fromVariables = def.args.filter(isVariable).map((arg) => ({
    name: arg.name,
    variable: (given.get(arg.name) as VariableNode).name.value,
    nonNull: isNonNullType(arg.type),
  }));
  const rest = def.args.filter((arg) => !isVariable(arg));
  const others: GraphQLField<unknown, unknown> = Object.create(def, { args: { value: rest } });
  let fixed: Record<string, unknown>;
  try {
    fixed = getArgumentValues(others, node, { sources: {}, coerced: {} });
  } catch {
    return asReference;
  }
  // A list or an object would be shared by all calls.
  if (Object.values(fixed).some((value) => typeof value === 'object' && value !== null)) return asReference;
  return (variables) => {
    const args = { ...fixed };
    for (const { name, variable, nonNull } of fromVariables) {
      const value = variables.coerced[variable];
      if (value === undefined || (value === null && nonNull)) return asReference(variables);
      args[name] = value;
    }
    return args;
  };
}

const noArguments = Object.freeze(Object.create(null) as Record<string, never>);

/** Whether a value is a list or an object with a variable in it. */
function holdsVariables(value: ValueNode): boolean {
  const within = (inner: ValueNode): boolean => inner.kind === Kind.VARIABLE || holdsVariables(inner);
  if (value.kind === Kind.LIST) return value.values.some(within);
  return value.kind === Kind.OBJECT && value.fields.some((field) => within(field.value));
}

/** A field that the schema exposes as it is says so, unless something was put around it. */
function propertyOf({ name, resolve, args, extensions }: GraphQLField<unknown, unknown>): string | undefined {
  if (args.length > 0) return undefined;
  if (resolve === undefined || resolve === defaultFieldResolver) return name;
  const exposed = extensions.pothosResolveWrapped === false ? extensions.pothosExposedField : undefined;
  return typeof exposed === 'string' ? exposed : undefined;
}

function shapeOf(type: GraphQLOutputType): Shape {
  const nonNull = isNonNullType(type);
  const inner = getNullableType(type);
  if (isListType(inner)) return { kind: 'list', nonNull, item: shapeOf(inner.ofType) };
  if (isLeafType(inner)) {
    const plain = inner.name === 'String' || inner.name === 'ID' ? 'string' : inner.name === 'Boolean' ? 'boolean' : '';
    const coerce = (value: unknown) => (typeof value === plain ? value : inner.coerceOutputValue(value));
    return { kind: 'leaf', nonNull, coerce };
  }
  return isAbstractType(inner) ? { kind: 'abstract', nonNull, type: inner } : { kind: 'object', nonNull, type: inner };
}
