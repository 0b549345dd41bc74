import type { Arity } from './snippets.ts';

/** What a project's database holds, as far as a manifest is about it. What {@link factsSql} returns. */
export interface Facts {
  readonly relations: readonly RelationFacts[];
  readonly functions: readonly FunctionFacts[];
  readonly sequences: readonly SequenceFacts[];
}

/** Privileges by role; `public` for those that everybody has. */
export type Grants = Readonly<Record<string, readonly string[]>>;

export interface RelationFacts {
  readonly name: string;
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f';
  /** Whether it belongs to the role that tenant SQL runs as. */
  readonly owned: boolean;
  /** Whether a manifest made it. */
  readonly ours: boolean;
  readonly secured: boolean;
  readonly forced: boolean;
  readonly grants: Grants | null;
  /** Roles with privileges on single columns. */
  readonly columnGrants: boolean;
  readonly columns: readonly { readonly name: string; readonly type: string }[] | null;
  readonly policies: readonly PolicyFacts[] | null;
  /** Whether it has the manifest's trigger that fills the owner in. */
  readonly setsOwner: readonly string[] | null;
  /** Whether it is partitioned, a partition, or inherits or is inherited from. */
  readonly kin: boolean;
  /** Columns that an index begins with, and serves for every row. */
  readonly indexed: readonly string[] | null;
}

export interface PolicyFacts {
  readonly name: string;
  readonly ours: boolean;
  readonly command: string;
  readonly permissive: boolean;
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
}

export interface FunctionFacts {
  readonly name: string;
  /** The catalog's own names of the types that a call is given, with `[]` for an array. */
  readonly types: readonly string[];
  readonly names: readonly string[];
  readonly takes: Arity;
  /** The types as SQL names them, to tell it from its namesakes. */
  readonly identity: string;
  readonly owned: boolean;
  readonly ours: boolean;
  readonly grants: Grants | null;
}

export interface SequenceFacts {
  readonly name: string;
  readonly owned: boolean;
  readonly grants: Grants | null;
  /** Tables whose columns take their values from it. */
  readonly tables: readonly string[] | null;
}

/** The comment that tells what a manifest made from what the tenant did. */
export const mark = 'Made from the expose manifest.';

const roleName = (oid: string) => `case ${oid} when 0 then 'public' else pg_get_userbyid(${oid})::text end`;

/** Privileges of an object as `{"anon": ["select"]}`, those of its owner left out. */
const grantsOf = (acl: string, kind: string, owner: string) => `(
  select json_object_agg(g.role, g.privileges) from (
    select ${roleName('a.grantee')} as role, json_agg(lower(a.privilege_type) order by a.privilege_type) as privileges
    from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))) a
    where a.grantee <> ${owner} group by 1) g)`;

/** A type's own name, its schema where it is neither PostgreSQL's nor the tenant's, `[]` where it is an array. */
const typeName = (oid: string) => `(
  select case when s.nspname in ('pg_catalog', 'public') then '' else s.nspname || '.' end || b.typname
    || case when e.oid is null then '' else '[]' end
  from pg_type own left join pg_type e on e.oid = own.typelem and own.typcategory = 'A'
    join pg_type b on b.oid = coalesce(e.oid, own.oid) join pg_namespace s on s.oid = b.typnamespace
  where own.oid = ${oid})`;

const isOurs = (oid: string, catalog: string) => `coalesce(obj_description(${oid}, '${catalog}') = '${mark}', false)`;

/** How many arguments a call of a function of `pg_proc` may give, as {@link Arity}. */
export const arityOf = (
  proc: string,
) => `pg_catalog.json_build_object('least', ${proc}.pronargs - ${proc}.pronargdefaults,
  'most', case when ${proc}.provariadic = 0 then ${proc}.pronargs end)`;

/** Everything in one statement; run with no path to search, so that what it says of SQL names every schema. */
export const factsSql = `
select json_build_object(
  'relations', (select coalesce(json_agg(json_build_object(
      'name', c.relname, 'kind', c.relkind, 'owned', c.relowner = 'service_role'::regrole,
      'ours', ${isOurs('c.oid', 'pg_class')}, 'secured', c.relrowsecurity, 'forced', c.relforcerowsecurity,
      'grants', ${grantsOf('c.relacl', 'r', 'c.relowner')},
      'columnGrants', exists (select from pg_attribute a where a.attrelid = c.oid and a.attacl is not null),
      'columns', (select json_agg(json_build_object('name', a.attname, 'type', ${typeName('a.atttypid')}) order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      'policies', (select json_agg(json_build_object(
          'name', p.polname, 'ours', ${isOurs('p.oid', 'pg_policy')}, 'command', case p.polcmd when 'r' then 'select'
            when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
          'permissive', p.polpermissive,
          'roles', (select json_agg(${roleName('o.oid')} order by o.ord)
            from unnest(p.polroles) with ordinality o(oid, ord)),
          'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname)
        from pg_policy p where p.polrelid = c.oid),
      'kin', c.relkind = 'p'
        or exists (select from pg_inherits i where i.inhrelid = c.oid or i.inhparent = c.oid),
      'setsOwner', (select json_agg(g.tgname order by g.tgname) from pg_trigger g
        where g.tgrelid = c.oid and not g.tgisinternal and ${isOurs('g.oid', 'pg_trigger')}),
      'indexed', (select json_agg(distinct a.attname) from pg_index i join pg_class x on x.oid = i.indexrelid
          join pg_am m on m.oid = x.relam join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indisvalid and i.indpred is null and m.amname = 'btree')) order by c.oid), '[]')
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')),
  'functions', (select coalesce(json_agg(json_build_object(
      'name', p.proname, 'identity', (select coalesce(string_agg(format_type(t.oid, null), ', ' order by t.ord), '')
        from unnest(p.proargtypes::oid[]) with ordinality t(oid, ord)),
      'types', (select coalesce(json_agg(${typeName('t.oid')} order by t.ord), '[]')
        from unnest(p.proargtypes::oid[]) with ordinality t(oid, ord)),
      'names', (select coalesce(json_agg(coalesce(n.name, '') order by n.ord), '[]')
        from unnest(p.proargnames, p.proargmodes) with ordinality n(name, mode, ord)
        where coalesce(n.mode, 'i') in ('i', 'b', 'v')),
      'takes', ${arityOf('p')}, 'owned', p.proowner = 'service_role'::regrole, 'ours', ${isOurs('p.oid', 'pg_proc')},
      'grants', ${grantsOf('p.proacl', 'f', 'p.proowner')}) order by p.oid), '[]')
    from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'),
  'sequences', (select coalesce(json_agg(json_build_object(
      'name', c.relname, 'owned', c.relowner = 'service_role'::regrole,
      'grants', ${grantsOf('c.relacl', 's', 'c.relowner')},
      'tables', (select json_agg(distinct u.name) from (
          select t.relname as name from pg_depend d join pg_class t on t.oid = d.refobjid
            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
              and d.deptype in ('a', 'i')
          union
          select t.relname from pg_depend d join pg_attrdef f on f.oid = d.objid join pg_class t on t.oid = f.adrelid
            where d.classid = 'pg_attrdef'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid) u)
      ) order by c.oid), '[]')
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'S')
)::text`;
