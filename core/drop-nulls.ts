/** The type of an input without its null members: GraphQL says null where operations say absent. */
export type WithoutNulls<T> = T extends readonly (infer Item)[]
  ? WithoutNulls<Item>[]
  : T extends object
    ? {
        [Key in keyof T as undefined extends T[Key] ? never : null extends T[Key] ? never : Key]: WithoutNulls<T[Key]>;
      } & {
        [Key in keyof T as undefined extends T[Key] ? Key : null extends T[Key] ? Key : never]?: WithoutNulls<
          Exclude<T[Key], null | undefined>
        >;
      }
    : T;

/**
 * An input as operations take it, from one as GraphQL gives it: members that are null or undefined are left out, at any
 * depth of plain objects and lists. Elements of lists stay.
 */
export function dropNulls<T extends object>(value: T): WithoutNulls<T> {
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(kept.map(([key, item]) => [key, inner(item)])) as WithoutNulls<T>;
}

/** Only plain data is looked into; a `Date`, for one, stays what it is. */
function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? dropNulls(value) : value;
}
