type Json = Readonly<Record<string, unknown>>;

/** A JSON Schema without `$defs`: each of its named parts is where it is used. */
export function inlined({ $defs, ...form }: Json): Json {
  const named = ($defs ?? {}) as Readonly<Record<string, Json>>;
  const inner = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(inner);
    const { $ref, ...own } = value as Json;
    const part = typeof $ref === 'string' ? named[$ref.replace('#/$defs/', '')] : undefined;
    return Object.fromEntries(Object.entries({ ...part, ...own }).map(([name, one]) => [name, inner(one)]));
  };
  return inner(form) as Json;
}
