/** What {@link catalogSql} returns: plain facts of the catalogs, related to each other by numbers. */
export interface Catalog {
  readonly tables: readonly CatalogTable[];
  readonly keys: readonly CatalogKey[];
  readonly views: readonly CatalogView[];
  readonly routines: readonly CatalogRoutine[];
  readonly computed: readonly CatalogComputed[];
  /** Whether any trigger runs code of the project's own: those of the platform leave nothing on a session. */
  readonly triggers: boolean;
  /** Views, policies, defaults or checks call functions of the project, or such as change a session. */
  readonly code: boolean;
  readonly enums?: readonly CatalogEnum[];
  readonly domains?: readonly CatalogDomain[];
}

export interface CatalogEnum {
  readonly type: string;
  readonly labels: readonly string[] | null;
}

export interface CatalogDomain {
  readonly type: string;
  readonly base: string;
}

export interface CatalogTable {
  readonly oid: number;
  readonly name: string;
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f';
  readonly columns: readonly CatalogColumn[] | null;
  /** By role, what it may do: of the letters r, a, w and d, as PostgreSQL writes them. */
  readonly access?: Readonly<Record<string, string>> | null;
  /** The same of each column, where any column has rights of its own. */
  readonly column_access?: Readonly<Record<string, Readonly<Record<string, string>>>> | null;
  /** Of the letters a, w and d, what can be done at all: views may be for reading alone. */
  readonly writable?: string;
  /** Other tables than partitions inherit from it: its rows are theirs, too, and no key tells all of them apart. */
  readonly inherited?: boolean;
}

export interface CatalogColumn {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  /** No row of the table, or of one that inherits from it, has null there. A domain may hold null whatever it says. */
  readonly not_null: boolean;
  readonly default_sql: string | null;
  readonly generated: boolean;
  readonly identity: '' | 'a' | 'd';
}

/** A primary key, a unique constraint or a foreign key, of any schema: views show tables of others. */
export interface CatalogKey {
  readonly name: string;
  readonly kind: 'p' | 'u' | 'f';
  readonly table: number;
  readonly columns: readonly number[];
  readonly column_names: readonly string[];
  readonly other: number;
  readonly other_columns: readonly number[] | null;
  readonly other_names: readonly string[] | null;
}

export interface CatalogView {
  readonly oid: number;
  /** The view's query as PostgreSQL keeps it. */
  readonly tree: string;
}

export interface CatalogRoutine {
  readonly oid: number;
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly type: string; readonly mode: string }[] | null;
  readonly defaults: number;
  readonly returns_set: boolean;
  readonly returns_rows: boolean;
  readonly returns_table: string | null;
  readonly returns_void: boolean;
  readonly volatility: 'i' | 's' | 'v';
  readonly returns?: string;
  /** Roles that may call it. */
  readonly callers?: readonly string[] | null;
}

export interface CatalogComputed {
  readonly name: string;
  readonly origin: string;
  readonly target: string;
  readonly single: boolean;
}

/** Types whose plain name cuts a value to a length of one: read as the type that takes any length. */
const readAs = `case format_type(type, null)
    when 'bit' then 'bit varying' when 'bit[]' then 'bit varying[]'
    when 'character' then 'character varying' when 'character[]' then 'character varying[]'
    else format_type(type, null) end`;

/** Letters of what a role may do with any column of a table; of a single one with `has_column_privilege`. */
const letters = (may: (privilege: string) => string, remove: string) =>
  `concat(case when ${may('select')} then 'r' end, case when ${may('insert')} then 'a' end,
    case when ${may('update')} then 'w' end${remove})`;
const tableLetters = letters(
  (privilege) => `has_any_column_privilege(r.oid, t.oid, '${privilege}')`,
  ", case when has_table_privilege(r.oid, t.oid, 'delete') then 'd' end",
);
const columnLetters = letters((privilege) => `has_column_privilege(r.oid, t.oid, a.attnum, '${privilege}')`, '');

const notSystem = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

/**
 * Functions of PostgreSQL's own that leave something on a session, or that run a text of SQL, which may be anything.
 * Aggregates of the project are among the internal functions, whatever runs within.
 */
const ofSessions = '^(set_config|setseed|.*advisory.*|.*_to_xml.*|ts_stat|ts_rewrite)$';

/** Everything in one statement and one answer; `format_type` names what is not in `pg_catalog` with its schema. */
export const catalogSql = `
with recursive tables as (
  select c.oid, c.relname as name, c.relkind as kind, c.reltype
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
), family as (
  select oid as root, oid as member from tables where kind in ('r', 'p')
  union select f.root, i.inhrelid from family f join pg_inherits i on i.inhparent = f.member
), maybe_null as (
  -- What is not, or not yet, checked of every row: by rules, by foreign servers, by a constraint that is not valid, or not inherited.
  -- A partition has the constraints of its table.
  select distinct f.root as oid, a.attname
  from family f join pg_class m on m.oid = f.member join pg_attribute a on a.attrelid = f.member
  where a.attnum > 0 and not a.attisdropped and (f.member = f.root or not m.relispartition or m.relkind = 'f')
    and (not a.attnotnull or m.relkind = 'f' or m.relhasrules or exists (select from pg_constraint k
      where k.conrelid = f.member and k.contype = 'n' and not k.convalidated and a.attnum = any(k.conkey)))
), columns as (
  select a.attrelid as oid, json_agg(json_build_object(
    'number', a.attnum, 'name', a.attname, 'type', ${readAs.replaceAll('(type', '(a.atttypid')},
    'not_null', c.kind in ('r', 'p') and o.oid is null,
    'default_sql', case
      when a.attidentity = 'd' then (
        select format('nextval(%L::regclass)', s.objid::regclass::text) from pg_depend s join pg_class q on q.oid = s.objid
        where s.refobjid = a.attrelid and s.refobjsubid = a.attnum and s.deptype = 'i' and q.relkind = 'S' limit 1)
      when a.attgenerated <> '' then null
      when d.adbin is not null then pg_get_expr(d.adbin, d.adrelid)
      when t.typtype = 'd' then pg_get_expr(t.typdefaultbin, 0) end,
    'generated', a.attgenerated <> '', 'identity', a.attidentity) order by a.attnum) as columns
  from pg_attribute a join tables c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join maybe_null o on o.oid = a.attrelid and o.attname = a.attname
  where a.attnum > 0 and not a.attisdropped group by a.attrelid
), keys as (
  select k.conname, k.contype, k.conrelid, k.conkey, k.confrelid, k.confkey
  from pg_constraint k join pg_namespace n on n.oid = k.connamespace
  where k.contype in ('p', 'u', 'f') and k.conparentid = 0 and k.conrelid <> 0 and ${notSystem}
  order by k.conrelid, k.conname
), routines as (
  select p.oid, p.proname, p.pronargdefaults, p.proretset, p.provolatile, p.proargnames, p.proargmodes,
    coalesce(p.proallargtypes, p.proargtypes::oid[]) as types, p.prorettype,
    coalesce(nullif(r.typbasetype, 0), r.oid) as returned
  from pg_proc p join pg_type r on r.oid = p.prorettype
  where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
), roles as (
  select name::regrole::oid as oid, name as rolname
  from unnest(array['anon', 'authenticated', 'project_admin', 'service_role']) as _(name)
)
select json_build_object(
  'tables', (select coalesce(json_agg(json_build_object(
    'oid', t.oid::int8, 'name', t.name, 'kind', t.kind, 'columns', c.columns,
    'access', (select json_object_agg(r.rolname, ${tableLetters}) from roles r),
    'column_access', case when exists (select from pg_attribute a where a.attrelid = t.oid and a.attacl is not null) then (
      select json_object_agg(r.rolname, (select json_object_agg(a.attname, ${columnLetters})
        from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped)) from roles r) end,
    'inherited', t.kind = 'r' and exists (select from pg_inherits i where i.inhparent = t.oid),
    'writable', case when t.kind in ('r', 'p') then 'awd' else (select concat(case when u & 8 > 0 then 'a' end,
      case when u & 4 > 0 then 'w' end, case when u & 16 > 0 then 'd' end) from pg_relation_is_updatable(t.oid, true) u) end
    ) order by t.name), '[]')
    from tables t left join columns c using (oid)),
  'keys', (select coalesce(json_agg(json_build_object(
    'name', k.conname, 'kind', k.contype, 'table', k.conrelid::int8, 'columns', k.conkey,
    'column_names', (select json_agg(a.attname order by o.ord) from unnest(k.conkey) with ordinality o(num, ord)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = o.num),
    'other', k.confrelid::int8, 'other_columns', k.confkey,
    'other_names', (select json_agg(a.attname order by o.ord) from unnest(k.confkey) with ordinality o(num, ord)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = o.num))), '[]') from keys k),
  'views', (select coalesce(json_agg(json_build_object('oid', c.oid::int8, 'tree', r.ev_action::text)), '[]')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_rewrite r on r.ev_class = c.oid
    where c.relkind in ('v', 'm') and r.ev_type = '1' and ${notSystem}),
  'routines', (select coalesce(json_agg(json_build_object(
    'oid', p.oid::int8, 'name', p.proname, 'defaults', p.pronargdefaults, 'returns_set', p.proretset, 'volatility', p.provolatile,
    'args', (select json_agg(json_build_object('name', coalesce(x.name, ''), 'type', ${readAs.replaceAll('(type', '(x.type')},
      'mode', coalesce(x.mode, 'i')) order by x.ord)
      from unnest(p.types, p.proargnames, p.proargmodes) with ordinality x(type, name, mode, ord)),
    'returns_rows', t.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false),
    'returns_table', (select c.name from tables c where c.reltype = t.oid),
    'returns', format_type(p.returned, null),
    'callers', (select json_agg(r.rolname) from roles r where has_function_privilege(r.oid, p.oid, 'execute')),
    'returns_void', p.prorettype = 'void'::regtype) order by p.proname, p.oid), '[]')
    from routines p join pg_type t on t.oid = p.returned),
  'computed', (select coalesce(json_agg(json_build_object(
    'name', p.proname, 'origin', o.name, 'target', f.name, 'single', not p.proretset or q.prorows = 1)), '[]')
    from routines p join pg_proc q on q.oid = p.oid join tables o on o.reltype = q.proargtypes[0]
      join tables f on f.reltype = p.prorettype
    where q.pronargs = 1),
  'enums', (select coalesce(json_agg(json_build_object('type', format_type(t.oid, null),
    'labels', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
    order by t.oid), '[]') from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.typtype = 'e' and ${notSystem}),
  'domains', (select coalesce(json_agg(json_build_object('type', format_type(t.oid, null),
    'base', format_type(t.typbasetype, null))), '[]')
    from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.typtype = 'd' and ${notSystem}),
  'triggers', exists (select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and (p.pronamespace <> '_svc'::regnamespace or t.tgqual is not null)),
  'code', exists (
    select from pg_depend d join pg_proc p on d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid
      join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
    where d.classid in ('pg_rewrite'::regclass, 'pg_policy'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass,
        'pg_class'::regclass, 'pg_operator'::regclass, 'pg_cast'::regclass, 'pg_type'::regclass)
      and n.nspname not in ('auth', '_svc', 'pg_catalog', 'information_schema')
      and (p.prokind = 'a' or l.lanname not in ('c', 'internal'))
  ) or exists (
    select from (
      select r.ev_action from pg_rewrite r where r.oid >= 16384 union all select polqual from pg_policy union all select polwithcheck from pg_policy
      union all select adbin from pg_attrdef union all select conbin from pg_constraint where oid >= 16384
      union all select typdefaultbin from pg_type where oid >= 16384) as _(tree)
    where tree::text ~ (select ':funcid (' || string_agg(oid::text, '|') || ') ' from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and proname ~ '${ofSessions}'))
)::text as catalog`;
