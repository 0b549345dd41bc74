import { GraphQLBoolean, GraphQLFloat, GraphQLInt, GraphQLScalarType, GraphQLString, Kind } from 'graphql';
import { ExactNumber } from '../../core/exact-json.ts';
import type { ScalarName } from '../../engines/rows/graph/value-types.ts';
import { jsonOfLiteral, literalOfJson } from '../json-literals.ts';

// What these throw is no error of GraphQL's, so that it adds the place, the type and the value that was found.

/** The manual of PostgreSQL, which reads and writes these values: it says what their texts look like. */
const manual = (page: string) => `https://www.postgresql.org/docs/18/${page}`;
const dateTimes = manual('datatype-datetime.html');

/** A scalar that is a text on the wire; whether it is one of its kind is for PostgreSQL to say. */
const text = (name: string, description: string, specifiedByURL: string) =>
  new GraphQLScalarType<string, string>({
    name,
    description,
    specifiedByURL,
    coerceOutputValue: String,
    coerceInputValue(value) {
      if (typeof value === 'string') return value;
      throw new TypeError(`${name} is a string.`);
    },
    coerceInputLiteral(node) {
      if (node.kind === Kind.STRING) return node.value;
      throw new TypeError(`${name} is a string.`);
    },
  });

/** A number with more digits than JavaScript's have: a text that is made of its digits, or a number on the way in. */
const digits = (name: string, description: string, pattern: RegExp, specifiedByURL: string) => {
  const checked = (value: string) => {
    if (pattern.test(value)) return value;
    throw new TypeError(`This is no ${name}.`);
  };
  return new GraphQLScalarType<string, string>({
    name,
    description,
    specifiedByURL,
    coerceOutputValue: String,
    coerceInputValue(value) {
      // A number of JavaScript that comes from JSON is the one that was written, or it would be an exact one.
      if (typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber)
        return checked(String(value));
      throw new TypeError(`${name} is a string or a number.`);
    },
    valueToLiteral: literalOfJson,
    coerceInputLiteral(node) {
      if (node.kind === Kind.INT || node.kind === Kind.FLOAT || node.kind === Kind.STRING) return checked(node.value);
      throw new TypeError(`${name} is a string or a number.`);
    },
  });
};

const json = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any value of JSON; also a value of a type that GraphQL has no other word for.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-3',
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => value,
  coerceInputLiteral: jsonOfLiteral,
  valueToLiteral: literalOfJson,
});

export const scalars: Readonly<Record<ScalarName, GraphQLScalarType>> = {
  Int: GraphQLInt,
  BigInt: digits(
    'BigInt',
    'A whole number of up to 64 bits, as a string.',
    /^[+-]?\d{1,40}$/,
    manual('datatype-numeric.html#DATATYPE-INT'),
  ),
  Float: GraphQLFloat,
  Numeric: digits(
    'Numeric',
    'A decimal number of any length, as a string.',
    /^([+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,6})?|NaN|[+-]?Infinity)$/i,
    manual('datatype-numeric.html#DATATYPE-NUMERIC-DECIMAL'),
  ),
  Boolean: GraphQLBoolean,
  String: GraphQLString,
  DateTime: text('DateTime', 'A moment, ISO 8601 with its offset from UTC.', dateTimes),
  LocalDateTime: text('LocalDateTime', 'A date and a time of day without a time zone, ISO 8601.', dateTimes),
  Date: text('Date', 'A day, `2026-03-06`.', dateTimes),
  Time: text('Time', 'A time of day, `12:30:00`, with an offset where its column has one.', dateTimes),
  UUID: text('UUID', 'A UUID.', 'https://www.rfc-editor.org/rfc/rfc9562#section-4'),
  JSON: json,
};
