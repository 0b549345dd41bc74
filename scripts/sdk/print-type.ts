import { fromWireName, toWireName } from '../../clients/sdk/src/spelling.ts';
import type { PlainSchema } from '../surfaces/plain-schema.ts';

/** Branches of a schema that may be one of several; itself where it may not. */
const branchesOf = (schema: PlainSchema): readonly PlainSchema[] =>
  schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [schema];

const membersOf = ({ properties }: PlainSchema) => Object.entries(properties ?? {});

/** Whether an object may have undeclared members. */
const isLoose = ({ additionalProperties }: PlainSchema): boolean =>
  additionalProperties !== undefined && additionalProperties !== false;

/** Whether a value is a tenant’s own, or has undeclared members: its names stay as they are. */
const isFree = (schema: PlainSchema): boolean =>
  branchesOf(schema).some((one) => {
    if (one !== schema) return isFree(one);
    if (one.type === 'array') return one.items === undefined || isFree(one.items);
    const says = one.type !== undefined || one.enum !== undefined || one.const !== undefined;
    return !says || isLoose(one);
  });

/** Paths of free JSON in a schema, in names of the wire; lists take no part in a path. */
export function freePaths(schema: PlainSchema, path = ''): readonly string[] {
  const found = branchesOf(schema).flatMap((one) => {
    if (one !== schema) return freePaths(one, path);
    if (one.type === 'array') return one.items === undefined ? [] : freePaths(one.items, path);
    return membersOf(one).flatMap(([name, member]) =>
      isFree(member) ? [path + name] : freePaths(member, `${path}${name}.`),
    );
  });
  return [...new Set(found)];
}

/** A name as TypeScript spells it; one that could not be spelt back would be lost on the way. */
export function camelName(wireName: string): string {
  const name = fromWireName(wireName);
  if (toWireName(name) !== wireName && /_/.test(wireName)) throw new Error(`${wireName} cannot be spelt in camel case`);
  return name;
}

/** A docstring, or nothing. */
export const docOf = (text: string | undefined, indent = ''): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;

const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value));

const quoted = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

export interface Spelling {
  readonly io: 'input' | 'output';
  readonly indent: string;
  /** Collects the named schemas that are printed by their names. Without it, all are printed in place. */
  readonly named?: Map<string, PlainSchema>;
  /** Whether names stay those of the wire. */
  readonly asWire?: boolean;
}

/** What is said of a member, with those beside it called as they are called here. */
const inCamelCase = (text: string | undefined, { properties = {} }: PlainSchema): string | undefined =>
  text?.replace(/`(\w+)`/g, (quoted, name: string) => (name in properties ? `\`${camelName(name)}\`` : quoted));

/** A schema as a type. A named schema is its name, except among names of the wire, which the named type does not have. */
export function typeOf(schema: PlainSchema, spelling: Spelling): string {
  const { named, ...form } = schema;
  if (named === undefined || spelling.named === undefined || spelling.asWire === true) return formOf(form, spelling);
  spelling.named.set(named, form);
  return named;
}

function formOf(schema: PlainSchema, spelling: Spelling): string {
  const { type, anyOf, oneOf, allOf, items, prefixItems } = schema;
  const branches = anyOf ?? oneOf ?? allOf;
  if (branches !== undefined) {
    const printed = [...new Set(branches.map((one) => typeOf(one, spelling)))];
    return printed.includes('unknown') ? 'unknown' : printed.join(allOf === undefined ? ' | ' : ' & ');
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (Array.isArray(type)) return type.map((one) => formOf({ ...schema, type: one }, spelling)).join(' | ');
  if (prefixItems !== undefined) return `readonly [${prefixItems.map((one) => typeOf(one, spelling)).join(', ')}]`;
  if (type === 'array') {
    const item = items === undefined ? 'unknown' : typeOf(items, spelling);
    return `readonly ${/[|&]|^readonly /.test(item) && !item.startsWith('{') ? `(${item})` : item}[]`;
  }
  if (type === 'object') return objectOf(schema, spelling);
  return scalars[type as string] ?? 'unknown';
}

function objectOf(schema: PlainSchema, { indent, asWire = false, ...spelling }: Spelling): string {
  const { required = [], additionalProperties } = schema;
  const members = membersOf(schema);
  const loose = isLoose(schema);
  const inner = { ...spelling, indent: `${indent}  `, asWire: asWire || loose };
  const rest = !loose
    ? undefined
    : additionalProperties === true || members.length > 0
      ? 'unknown'
      : typeOf(additionalProperties as PlainSchema, inner);
  if (members.length === 0) return rest === undefined ? 'Record<string, never>' : `Readonly<Record<string, ${rest}>>`;
  const lines = members.map(([name, member]) => {
    // What may be left out may be said to be left out.
    const optional = required.includes(name) ? ['', ''] : ['?', ' | undefined'];
    const own = typeOf(member, inner);
    const spelt = quoted(inner.asWire ? name : camelName(name));
    const told = inner.asWire ? member.description : inCamelCase(member.description, schema);
    return `${docOf(told, inner.indent)}${inner.indent}readonly ${spelt}${optional[0]}: ${own}${own === 'unknown' ? '' : optional[1]};\n`;
  });
  if (rest !== undefined) lines.push(`${inner.indent}readonly [member: string]: ${rest};\n`);
  return `{\n${lines.join('')}${indent}}`;
}
