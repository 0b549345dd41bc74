import { z } from 'zod';

/** A JSON Schema without references: a schema with a name is where it is used, with the name beside it. */
export type PlainSchema = {
  /** The name of the schema, which is its id (`.meta({ id })`). */
  readonly named?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | PlainSchema;
  readonly items?: PlainSchema;
  readonly prefixItems?: readonly PlainSchema[];
  readonly anyOf?: readonly PlainSchema[];
  readonly oneOf?: readonly PlainSchema[];
  readonly allOf?: readonly PlainSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  /** Set for what must not be logged or shown. */
  readonly secret?: boolean;
  readonly [member: string]: unknown;
};

/** What the printer says for its own sake. */
const idle: Readonly<Record<string, (value: unknown) => boolean>> = {
  $schema: () => true,
  $defs: () => true,
  id: (value) => typeof value === 'string',
  propertyNames: () => true,
  minimum: (value) => value === Number.MIN_SAFE_INTEGER,
  maximum: (value) => value === Number.MAX_SAFE_INTEGER,
};

/** @param io whether a value is described as it is sent to the gateway, or as the gateway sends it */
export function plainSchema(schema: z.ZodType, io: 'input' | 'output'): PlainSchema {
  const { $defs = {}, ...form } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...own } = value as { readonly $ref?: string };
    if ($ref === undefined) return members(own);
    const id = $ref.replace('#/$defs/', '');
    return { ...(plain($defs[id]) as object), named: id, ...members(own) };
  };
  const members = (value: object): object =>
    Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => {
        if (idle[name]?.(member) === true || (name === 'pattern' && 'format' in value)) return [];
        // Whatever members are called, they are no keywords.
        if (name === 'properties')
          return [[name, Object.fromEntries(Object.entries(member).map(([key, one]) => [key, plain(one)]))]];
        return [[name, plain(member)]];
      }),
    );
  return plain(form) as PlainSchema;
}
