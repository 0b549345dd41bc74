/** Names of the tables that a manifest opens. */
export function exposedTables(manifest: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const tables: unknown = manifest?.tables;
  if (!Array.isArray(tables)) return [];
  return tables.flatMap((table) => (table?.expose === true && typeof table.name === 'string' ? [table.name] : []));
}
