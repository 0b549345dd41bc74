import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';
import { content, sha256 } from './content.ts';
import { boolean, data, list, matching, object, oneOf, optional, type Read, text } from './fields.ts';
import type { ReleaseSpec, SpecMigration } from './release-spec.ts';

/** Migrations that one specification may name. */
const migrationsMax = 1_000;
/** Longest SQL that is written into a specification, in bytes; longer texts are uploaded. */
const inlineSqlBytes = 1_048_576;
const exposeBytes = 1_048_576;
/** Longest SQL of one migration, and of all that one specification names, in bytes: they are read into memory. */
const sqlBytesMax = 16 * 1_048_576;
const sqlBytesSum = 64 * 1_048_576;

const migrationName = matching(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/);

const sqlText: Read<string> = (value, at) => {
  if (typeof value !== 'string' || value.trim() === '') throw invalid(at, 'must be SQL');
  if (Buffer.byteLength(value) > inlineSqlBytes) throw invalid(at, `is longer than ${inlineSqlBytes} bytes: upload it`);
  if (value.includes('\0') || !value.isWellFormed()) throw invalid(at, 'has characters that SQL cannot have');
  return value;
};

const members = ['id', 'name', 'checksum', 'sql_ref', 'sql', 'transaction'];

const migration: Read<SpecMigration> = (value, at) => {
  const given = object(value, at, members);
  const sql = optional(sqlText)(given.sql, `${at}.sql`);
  const ref = optional(content)(given.sql_ref, `${at}.sql_ref`);
  if ((sql === undefined) === (ref === undefined)) throw invalid(at, 'must have either sql or sql_ref');
  if (ref !== undefined && ref.size > sqlBytesMax) throw invalid(`${at}.sql_ref.size`, `is more than ${sqlBytesMax}`);
  const own = sql === undefined ? ref!.sha256 : createHash('sha256').update(sql).digest('hex');
  const checksum =
    sql === undefined
      ? sha256(given.checksum, `${at}.checksum`)
      : (optional(sha256)(given.checksum, `${at}.checksum`) ?? own);
  if (checksum !== own) throw invalid(`${at}.checksum`, 'is not the SHA-256 of the SQL', { expected: own });
  const id = optional(text(128))(given.id, `${at}.id`);
  const name = optional(migrationName)(given.name, `${at}.name`);
  if ((id === undefined) === (name === undefined)) throw invalid(at, 'must have either id or name');
  return {
    id: id ?? `${name}_${checksum.slice(0, 16)}`,
    checksum,
    transaction: optional(oneOf('required', 'none'))(given.transaction, `${at}.transaction`) ?? 'required',
    sql: sql ?? ref!,
  };
};

const migrations: Read<SpecMigration[]> = (value, at) => {
  const found = list(migration, { max: migrationsMax })(value, at);
  const seen = new Set<string>();
  for (const [place, { id }] of found.entries()) {
    if (seen.has(id)) throw invalid(`${at}.${place}.id`, 'is there twice', { migration_id: id });
    seen.add(id);
  }
  const bytes = found.reduce((sum, { sql }) => sum + (typeof sql === 'string' ? Buffer.byteLength(sql) : sql.size), 0);
  if (bytes > sqlBytesSum) throw invalid(at, `have ${bytes} bytes of SQL, more than ${sqlBytesSum}`);
  return found;
};

/** Contract 03, section 2.11.3. The expose manifest is read by what applies it. */
export const database: Read<Pick<ReleaseSpec, 'migrations' | 'expose' | 'zeroDowntime'>> = (value, at) => {
  const given = object(value, at, ['migrations', 'expose', 'zero_downtime']);
  const expose = optional(data(exposeBytes))(given.expose, `${at}.expose`);
  if (expose !== undefined && expose.version !== 1 && expose.version !== '1')
    throw invalid(`${at}.expose.version`, 'must be 1');
  return {
    migrations: optional(migrations)(given.migrations, `${at}.migrations`) ?? [],
    expose,
    zeroDowntime: optional(boolean)(given.zero_downtime, `${at}.zero_downtime`) ?? false,
  };
};

const key = matching(/^[A-Z_][A-Z0-9_]{0,127}$/);
const keys = list(key, { max: 1_000 });

/** Contract 03, section 2.11.4. Values have no place here. */
export const secrets: Read<ReleaseSpec['secrets']> = (value, at) => {
  const given = object(value, at, ['require', 'delete']);
  const require = [...new Set(optional(keys)(given.require, `${at}.require`) ?? [])];
  const gone = [...new Set(optional(keys)(given.delete, `${at}.delete`) ?? [])];
  const both = require.find((one) => gone.includes(one));
  if (both !== undefined) throw invalid(`${at}.delete`, `names ${both}, which is required, too`, { key: both });
  return { require, delete: gone };
};
