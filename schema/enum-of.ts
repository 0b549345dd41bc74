import { builder } from './builder.ts';

/** An enumeration of the values that an operation has, in capital letters, with what is said of each. */
export const enumOf = <Value extends string>(
  name: string,
  description: string,
  values: readonly Value[],
  said: Readonly<Record<Value, string>>,
) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries(
      values.map((value) => [value.toUpperCase(), { value, description: said[value] }]),
    ) as Record<string, { value: Value; description: string }>,
  });
