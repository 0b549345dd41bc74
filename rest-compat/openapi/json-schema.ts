import { z } from 'zod';
import { inlined } from '../../core/inlined-schema.ts';
import type { JsonSchema } from './path-doc.ts';

/** JSON Schemas of an API's shapes; those with an id (`.meta({ id })`) are gathered, and named wherever they occur. */
export class SchemaPrinter {
  /** Gathered so far, by id. */
  readonly components: Record<string, JsonSchema> = {};

  /** @param io whether a value is described as it is sent to the gateway, or as the gateway sends it */
  print(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Inside an object, so that a shape with an id is named like any other.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: 'any' });
    for (const [id, defined] of Object.entries($defs)) this.components[id] = tidy(defined);
    return tidy(properties!.it);
  }
}

const components = '#/components/schemas/';

/** What the printer writes for its own sake, or for ours alone. Objects may get further members, so none is closed. */
const left: Readonly<Record<string, (value: unknown) => boolean>> = {
  secret: () => true,
  id: (value) => typeof value === 'string',
  additionalProperties: (value) => value === false,
  minimum: (value) => value === Number.MIN_SAFE_INTEGER,
  maximum: (value) => value === Number.MAX_SAFE_INTEGER,
};

/** The form of what is sent to the gateway, without its name where it has one. */
export function inputForm(schema: z.ZodType): JsonSchema & { readonly required?: readonly string[] } {
  const {
    $schema: _dialect,
    $ref,
    $defs = {},
    ...form
  } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return tidy($ref === undefined ? form : $defs[$ref.replace('#/$defs/', '')]);
}

/** The form of a value by itself. It has no references, which many clients of MCP do not follow. */
export function wholeForm(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...form } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return tidy(inlined(form));
}

function tidy(schema: unknown): JsonSchema {
  if (typeof schema !== 'object' || schema === null) return schema as JsonSchema;
  if (Array.isArray(schema)) return schema.map(tidy) as unknown as JsonSchema;
  const tidied: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties' || name === '$defs') tidied[name] = mapped(value as JsonSchema, tidy);
    else if (name === '$ref') tidied[name] = String(value).replace('#/$defs/', components);
    else if (name === 'const' || name === 'enum' || name === 'default' || name === 'examples') tidied[name] = value;
    else if (name === 'pattern' && isFormat(schema)) continue;
    else if (left[name]?.(value) !== true) tidied[name] = tidy(value);
  }
  return tidied;
}

/** A format says the same as the long pattern that is written beside it. */
const isFormat = (schema: object) => 'format' in schema;

const mapped = (members: JsonSchema, by: (value: unknown) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, by(value)]));

/** How a component is named where it is used. */
export const referenceTo = (id: string): JsonSchema => ({ $ref: components + id });
