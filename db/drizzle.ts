/**
 * What the gateway uses of Drizzle, in one module. Node parses a package's whole list of exports for each module that
 * imports the package; Drizzle's has 175 kB, so 300 imports of it took two thirds of a second of each start.
 */
export {
  Column,
  getTableColumns,
  getTableName,
  is,
  Placeholder,
  type SQL,
  sql,
  Table,
} from 'drizzle-orm';
export {
  alias,
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  foreignKey,
  getTableConfig,
  index,
  integer,
  json,
  jsonb,
  numeric,
  PgDialect,
  PgTable,
  pgSchema,
  pgSequence,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
