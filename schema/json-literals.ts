import { type ConstObjectFieldNode, type ConstValueNode, Kind } from 'graphql';
import { ExactNumber, parseExactJson } from '../core/exact-json.ts';

// JSON as it is written in a document. Numbers keep their digits, as they do in variables.

/** The value that a literal is. */
export function jsonOfLiteral(node: ConstValueNode): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return parseExactJson(node.value);
    case Kind.LIST:
      return node.values.map(jsonOfLiteral);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, jsonOfLiteral(value)]));
    case Kind.NULL:
      return null;
    default:
      return node.value;
  }
}

/** The literal that a value is: a variable may be a part of one. */
export function literalOfJson(value: unknown): ConstValueNode {
  if (value === null || value === undefined) return { kind: Kind.NULL };
  if (typeof value === 'boolean') return { kind: Kind.BOOLEAN, value };
  if (typeof value === 'number' || value instanceof ExactNumber) {
    const digits = String(value);
    return { kind: /^-?\d+$/.test(digits) ? Kind.INT : Kind.FLOAT, value: digits };
  }
  if (Array.isArray(value)) return { kind: Kind.LIST, values: value.map(literalOfJson) };
  if (typeof value === 'object')
    return { kind: Kind.OBJECT, fields: Object.entries(value).map(([name, one]) => fieldOf(name, one)) };
  return { kind: Kind.STRING, value: String(value) };
}

const fieldOf = (name: string, value: unknown): ConstObjectFieldNode => ({
  kind: Kind.OBJECT_FIELD,
  name: { kind: Kind.NAME, value: name },
  value: literalOfJson(value),
});
