import { RowError } from '../errors.ts';
import { type SchemaCache, servedSchema, type Table } from '../schema/types.ts';
import { closest } from './closest.ts';

/** @throws PGRST205 */
export function tableNamed(cache: SchemaCache, name: string): Table {
  const table = cache.tables.get(name);
  if (table !== undefined) return table;
  const meant = closest(name, cache.tables.keys());
  throw new RowError(404, 'PGRST205', `Could not find the table '${servedSchema}.${name}' in the schema cache`, {
    hint: meant === undefined ? null : `Perhaps you meant the table '${servedSchema}.${meant}'`,
  });
}
