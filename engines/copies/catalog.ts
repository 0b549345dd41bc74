import type pg from 'pg';
import type { SavedSequence } from './archive.ts';
import { quotedTable } from './names.ts';

interface Relation {
  readonly schema: string;
  readonly name: string;
}

/** A column of a key, and whether its order depends on a language. */
export interface KeyColumn {
  readonly name: string;
  readonly collated: boolean;
}

export interface CatalogTable extends Relation {
  readonly columns: readonly string[];
  readonly bytes: number;
  /** The columns of its primary key, or of another one that every row has a value of; empty where it has none. */
  readonly key: readonly KeyColumn[];
}

/** What there is to copy in some schemas. */
export interface Catalog {
  /** Those that others refer to come first. */
  readonly tables: readonly CatalogTable[];
  readonly sequences: readonly Relation[];
  readonly filled: readonly Relation[];
  readonly extensions: readonly (Relation & { readonly version: string })[];
  /** What a copy leaves out, in sentences. */
  readonly leftOut: readonly string[];
}

const own = `not exists (select from pg_catalog.pg_depend e where e.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
  and e.objid = c.oid and e.deptype = 'e')`;
const wanted = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relpersistence <> 't' and ${own}`;

// Hints and other rows that live as long as the server process are copied like all others: their users say what to leave.
const relationsText = `select c.oid::text as id, n.nspname as schema, c.relname as name, c.relkind as kind,
    c.relispopulated as filled, pg_catalog.pg_table_size(c.oid)::text as bytes,
    coalesce((select pg_catalog.json_agg(a.attname order by a.attnum) from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '[]') as columns,
    coalesce((select pg_catalog.json_agg(k.confrelid::text) from pg_catalog.pg_constraint k
      where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid), '[]') as refers,
    coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'collated', a.attcollation <> 0)
        order by k.place)
      from (select i.indkey, i.indnkeyatts from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid
        where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null
          and i.indexprs is null and not exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid
            and a.attnum = any (i.indkey::smallint[]) and (not a.attnotnull or a.attgenerated = 'v'))
        order by i.indisprimary desc, x.relname limit 1) best,
      pg_catalog.unnest(best.indkey::smallint[]) with ordinality as k (attnum, place)
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where k.place <= best.indnkeyatts), '[]') as key
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'S', 'm', 'f') and ${wanted}
  order by n.nspname, c.relname`;

const extensionsText = `select n.nspname as schema, x.extname as name, x.extversion as version
  from pg_catalog.pg_extension x join pg_catalog.pg_namespace n on n.oid = x.extnamespace
  where x.extname <> 'plpgsql' order by x.extname`;

interface Found extends CatalogTable {
  readonly id: string;
  readonly kind: 'r' | 'S' | 'm' | 'f';
  readonly filled: boolean;
  readonly refers: readonly string[];
}

/** Reads from the catalogs of a database what there is to copy. @param chosen which of its relations */
export async function readCatalog(client: pg.Client, chosen: (relation: Relation) => boolean): Promise<Catalog> {
  const found = (await client.query<Found>(relationsText)).rows.filter(chosen);
  const extensions = (await client.query(extensionsText)).rows;
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::integer as n from pg_catalog.pg_largeobject_metadata',
  );
  const named = ({ schema, name }: Found): Relation => ({ schema, name });
  const leftOut = found
    .filter(({ kind }) => kind === 'f')
    .map((table) => `The rows behind the foreign table ${quotedTable(table)}.`);
  if (rows[0]!.n > 0) leftOut.push(`${rows[0]!.n} large objects.`);
  return {
    tables: inOrder(found.filter(({ kind }) => kind === 'r')).map((table) => ({
      ...named(table),
      columns: table.columns,
      bytes: Number(table.bytes),
      key: table.key,
    })),
    sequences: found.filter(({ kind }) => kind === 'S').map(named),
    filled: found.filter(({ kind, filled }) => kind === 'm' && filled).map(named),
    extensions,
    leftOut,
  };
}

/** Tables behind those that they refer to. Of a circle each comes where it is met. */
function inOrder(tables: readonly Found[]): Found[] {
  const byId = new Map(tables.map((table) => [table.id, table]));
  const placed = new Set<Found>();
  const place = (table: Found, above: ReadonlySet<Found>) => {
    if (placed.has(table) || above.has(table)) return;
    const path = new Set(above).add(table);
    for (const id of table.refers) {
      const other = byId.get(id);
      if (other !== undefined) place(other, path);
    }
    placed.add(table);
  };
  for (const table of tables) place(table, new Set());
  return [...placed];
}

/** A name means something else than it did a moment ago. */
export class MovedError extends Error {
  override readonly name = 'MovedError';
}

/**
 * The value of a sequence. Sequences belong to no snapshot: one that is used meanwhile is ahead of the rows.
 *
 * Nothing is cast: an administrator reads here, and what has taken the name of the sequence while the statement waited may
 * have columns of the tenant's types with casts of its own. What stood there is asked afterwards, when the lock of the read
 * keeps it from being renamed.
 *
 * @throws MovedError
 */
export async function readSequence(client: pg.Client, sequence: Relation): Promise<SavedSequence> {
  const name = quotedTable(sequence);
  const { rows } = await client.query<{ last_value: unknown; is_called: unknown }>(
    `select last_value, is_called from only ${name}`,
  );
  const found = await client.query<{ kind: string }>(
    'select relkind as kind from pg_catalog.pg_class where oid = pg_catalog.to_regclass($1)',
    [name],
  );
  const [row] = rows;
  if (found.rows[0]?.kind !== 'S' || row === undefined) throw new MovedError(`${name} is no sequence any more.`);
  return { ...sequence, value: String(row.last_value), called: row.is_called === true };
}
