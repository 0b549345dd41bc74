/** A name as SQL takes it, whatever it holds. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** A table by its whole name. */
export const quotedTable = ({ schema, name }: { readonly schema: string; readonly name: string }) =>
  `${quoted(schema)}.${quoted(name)}`;
