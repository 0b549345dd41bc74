import {
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { ExactNumber } from '../../core/exact-json.ts';

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** Makes numbers that no double holds what GraphQL’s own scalars are: a `Float` rounds, and an `ID` is a text. */
export function withOwnNumbers(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Variables {
  if (variables == null || !holdsExact(variables)) return variables;
  const made = { ...variables };
  for (const { variable, type: node } of variableDefinitions) {
    const { value: name } = variable.name;
    const type = typeFromAST(schema, node as never);
    if (Object.hasOwn(made, name) && isInputType(type)) made[name] = ofType(type, made[name]);
  }
  return made;
}

/** Whether one is in there; without calls inside each other, since variables may be as deep as their text. */
function holdsExact(variables: object): boolean {
  const left: unknown[] = [variables];
  while (left.length > 0) {
    const one = left.pop();
    if (one instanceof ExactNumber) return true;
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) left.push(inner);
  }
  return false;
}

function ofType(type: GraphQLInputType, value: unknown): unknown {
  if (isNonNullType(type)) return ofType(type.ofType, value);
  if (isListType(type))
    return Array.isArray(value) ? value.map((one) => ofType(type.ofType, one)) : ofType(type.ofType, value);
  if (value instanceof ExactNumber) {
    if (type === GraphQLID) return value.text;
    return type === GraphQLFloat || type === GraphQLInt ? Number(value.text) : value;
  }
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null) return value;
  const fields = type.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      Object.hasOwn(fields, name) ? ofType(fields[name]!.type, one) : one,
    ]),
  );
}
