import { ServiceError } from '../../../core/errors.ts';
import { ExactNumber } from '../../../core/exact-json.ts';
import { isWritable } from '../../../core/json-depth.ts';
import type { SchemaCache } from '../schema/types.ts';
import { enumNameOf, Names, typeNameOf } from './names.ts';

export type ScalarName =
  | 'Int'
  | 'BigInt'
  | 'Float'
  | 'Numeric'
  | 'Boolean'
  | 'String'
  | 'DateTime'
  | 'LocalDateTime'
  | 'Date'
  | 'Time'
  | 'UUID'
  | 'JSON';

export interface GraphEnum {
  readonly typeName: string;
  readonly labels: readonly { readonly name: string; readonly label: string }[];
}

/** What can be asked of a value: nothing but whether it is there, equality, order, patterns, or what JSON contains. */
export type Comparable = 'presence' | 'equality' | 'order' | 'text' | 'document';

/** A type of PostgreSQL's, as GraphQL shows it. */
export interface ValueType {
  readonly scalar: ScalarName | GraphEnum;
  readonly isList: boolean;
  readonly comparable: Comparable;
  /** Read as text, because a number of JavaScript would lose digits. */
  readonly asText: boolean;
}

const scalar = (name: ScalarName, comparable: Comparable, asText = false) => ({ scalar: name, comparable, asText });

const known: Readonly<Record<string, ReturnType<typeof scalar>>> = {
  smallint: scalar('Int', 'order'),
  integer: scalar('Int', 'order'),
  bigint: scalar('BigInt', 'order', true),
  oid: scalar('BigInt', 'order', true),
  numeric: scalar('Numeric', 'order', true),
  real: scalar('Float', 'order'),
  'double precision': scalar('Float', 'order'),
  boolean: scalar('Boolean', 'equality'),
  text: scalar('String', 'text'),
  'character varying': scalar('String', 'text'),
  character: scalar('String', 'text'),
  name: scalar('String', 'text'),
  citext: scalar('String', 'text'),
  'public.citext': scalar('String', 'text'),
  '"char"': scalar('String', 'equality'),
  uuid: scalar('UUID', 'order'),
  'timestamp with time zone': scalar('DateTime', 'order'),
  'timestamp without time zone': scalar('LocalDateTime', 'order'),
  date: scalar('Date', 'order'),
  'time without time zone': scalar('Time', 'order'),
  'time with time zone': scalar('Time', 'order'),
  interval: scalar('String', 'order'),
  bytea: scalar('String', 'order'),
  money: scalar('String', 'order', true),
  inet: scalar('String', 'order'),
  cidr: scalar('String', 'order'),
  macaddr: scalar('String', 'order'),
  macaddr8: scalar('String', 'order'),
  bit: scalar('String', 'order'),
  'bit varying': scalar('String', 'order'),
  tsvector: scalar('String', 'presence'),
  xml: scalar('String', 'presence'),
  int4range: scalar('String', 'order'),
  int8range: scalar('String', 'order'),
  numrange: scalar('String', 'order'),
  tsrange: scalar('String', 'order'),
  tstzrange: scalar('String', 'order'),
  daterange: scalar('String', 'order'),
  jsonb: scalar('JSON', 'document'),
};
const unknown = scalar('JSON', 'presence');

/** Domains inside each other that are followed. */
const domainsMax = 16;

/** The value types of a schema; enums get their names when they are first met. */
export class ValueTypes {
  readonly #cache: SchemaCache;
  readonly #names: Names;
  readonly #enums = new Map<string, GraphEnum>();

  constructor(cache: SchemaCache, names: Names) {
    this.#cache = cache;
    this.#names = names;
  }

  of(type: string): ValueType {
    const isArray = type.endsWith('[]');
    const element = this.#base(isArray ? type.slice(0, -2) : type);
    // A domain over an array is an array as well.
    const isList = isArray || element.endsWith('[]');
    const plain = element.endsWith('[]') ? this.#base(element.slice(0, -2)) : element;
    const found = Object.hasOwn(known, plain) ? known[plain]! : undefined;
    if (found !== undefined) return { ...found, isList };
    const labels = this.#cache.enums.get(plain);
    if (labels === undefined || labels.length === 0) return { ...unknown, isList };
    return { scalar: this.#enumOf(plain, labels), comparable: 'order', asText: false, isList };
  }

  #base(type: string): string {
    let base = type;
    for (let step = 0; step < domainsMax; step++) {
      const below = this.#cache.domains.get(base);
      if (below === undefined) break;
      base = below;
    }
    return base;
  }

  #enumOf(type: string, labels: readonly string[]): GraphEnum {
    let made = this.#enums.get(type);
    if (made === undefined) {
      const names = new Names();
      const typeName = this.#names.claim(typeNameOf(localName(type)), (name) => [
        name,
        `${name}Filter`,
        `${name}ListFilter`,
      ]);
      made = { typeName, labels: labels.map((label) => ({ name: names.claim(enumNameOf(label)), label })) };
      this.#enums.set(type, made);
    }
    return made;
  }
}

/**
 * A value as its type shows it. In its place comes a refusal of the one field where GraphQL has no such value: numbers
 * that are none, which PostgreSQL writes as texts, and arrays of several dimensions.
 *
 * @param committed whether what the value was read with is done, so that the refusal is of its sight alone
 */
export function shownValue({ scalar: name, isList }: ValueType, value: unknown, committed: boolean): unknown {
  const elements = isList && Array.isArray(value) ? (value as unknown[]) : [value];
  // Minus zero, beside JSON.
  if (name === 'Float' && elements.some((one) => one instanceof ExactNumber)) {
    const numbers = elements.map((one) => (one instanceof ExactNumber ? Number(one.text) : one));
    return isList ? numbers : numbers[0];
  }
  if (name === 'Float' && elements.some((one) => typeof one === 'string'))
    return refused('GraphQL has no NaN and no infinite Float.', committed);
  if (name === 'JSON' && !isWritable(value)) return refused('This value is nested too deeply to be shown.', committed);
  if (isList && name !== 'JSON' && elements.some(Array.isArray))
    return refused('GraphQL shows arrays of one dimension alone.', committed);
  return value;
}

/** A null that the table of the row forbids: a function made the row. */
export const refusedNull = (column: string, committed: boolean): ServiceError =>
  refused(
    `The row has null in ${column}, which its table forbids.`,
    committed,
    'Let a function that answers such rows return a table of columns of its own.',
  );

const refused = (
  message: string,
  committed: boolean,
  hint = 'Show the value as text or JSON by a view or a function.',
) =>
  new ServiceError('SQL_ERROR', {
    message,
    details: { sqlstate: '0A000', message },
    extras: { sqlstate: '0A000', hint },
    ...(committed && { mutationState: 'committed', safeToRetry: false }),
  });

/** `public."My type"` as `My type`. */
const localName = (type: string): string => {
  const quoted = /(?:^|\.)"((?:[^"]|"")*)"$/.exec(type)?.[1];
  return quoted === undefined ? type.slice(type.lastIndexOf('.') + 1) : quoted.replaceAll('""', '"');
};
