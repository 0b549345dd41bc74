/** A parsed document, as `graphql` and GraphQL Code Generator write it. */
export interface DocumentNode {
  readonly kind: string;
  readonly definitions: readonly object[];
}

// biome-ignore lint/suspicious/noExplicitAny: nodes are of some thirty kinds, told apart by their `kind`.
type Node = any;

const list = (nodes: Node[] | undefined, [open, close]: readonly [string, string], between: string): string =>
  nodes?.length ? open + nodes.map(print).join(between) + close : '';

const beside = (...parts: string[]): string => parts.filter((part) => part !== '').join(' ');

const fields = (node: Node) => list(node.selectionSet?.selections, ['{', '}'], ' ');
const directives = (node: Node) => list(node.directives, ['', ''], ' ');
const args = (nodes: Node[] | undefined) => list(nodes, ['(', ')'], ' ');

/** The parts of an executable document; types and fragments with variables are not among them. */
const printers: Readonly<Record<string, (node: Node) => string>> = {
  Name: ({ value }) => value,
  OperationDefinition: (node) =>
    beside(
      node.operation + (node.name ? ` ${print(node.name)}` : '') + args(node.variableDefinitions),
      directives(node),
      fields(node),
    ),
  VariableDefinition: (node) =>
    beside(
      `${print(node.variable)}:${print(node.type)}${node.defaultValue ? `=${print(node.defaultValue)}` : ''}`,
      directives(node),
    ),
  Variable: ({ name }) => `$${print(name)}`,
  Field: (node) =>
    beside(
      (node.alias ? `${print(node.alias)}:` : '') + print(node.name) + args(node.arguments),
      directives(node),
      fields(node),
    ),
  Argument: ({ name, value }) => `${print(name)}:${print(value)}`,
  FragmentSpread: (node) => beside(`...${print(node.name)}`, directives(node)),
  InlineFragment: (node) =>
    beside('...', node.typeCondition ? `on ${print(node.typeCondition)}` : '', directives(node), fields(node)),
  FragmentDefinition: (node) =>
    beside(`fragment ${print(node.name)} on ${print(node.typeCondition)}`, directives(node), fields(node)),
  Directive: (node) => `@${print(node.name)}${args(node.arguments)}`,
  NamedType: ({ name }) => print(name),
  ListType: ({ type }) => `[${print(type)}]`,
  NonNullType: ({ type }) => `${print(type)}!`,
  IntValue: ({ value }) => value,
  FloatValue: ({ value }) => value,
  EnumValue: ({ value }) => value,
  // JSON writes strings as GraphQL reads them.
  StringValue: ({ value }) => JSON.stringify(value),
  BooleanValue: ({ value }) => String(value),
  NullValue: () => 'null',
  ListValue: ({ values }) => `[${values.map(print).join(' ')}]`,
  ObjectValue: ({ fields }) => `{${fields.map(print).join(' ')}}`,
  ObjectField: ({ name, value }) => `${print(name)}:${print(value)}`,
};

function print(node: Node): string {
  const printer = printers[node.kind];
  if (printer === undefined) throw new TypeError(`A document that is executed holds no ${node.kind}.`);
  return printer(node);
}

/** The text of a parsed document. */
export const printDocument = ({ definitions }: DocumentNode): string => definitions.map(print).join(' ');
