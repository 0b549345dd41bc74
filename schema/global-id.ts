/** A global id is readable: `<Type>_<native id>`. Native ids may hold underscores, type names do not. */
export const encodeGlobalId = (typename: string, id: string | number | bigint): string => `${typename}_${id}`;

/** The parts of a global id; a text that is none names a type that nothing has. */
export function decodeGlobalId(globalId: string): { typename: string; id: string } {
  const at = globalId.indexOf('_');
  return at < 1 ? { typename: '', id: globalId } : { typename: globalId.slice(0, at), id: globalId.slice(at + 1) };
}

/** The native id behind an argument, which may be given in either form. */
export function nativeId(typename: string, given: string): string {
  const prefix = `${typename}_`;
  return given.startsWith(prefix) ? given.slice(prefix.length) : given;
}
