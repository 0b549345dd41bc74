/** What decides who may do what in a project's database. What {@link accessFactsSql} returns. */
export interface AccessFacts {
  readonly relations: readonly RelationRights[];
  readonly functions: readonly FunctionRights[];
}

/** Roles that requests run as: without a user, with one, with an admin of the project, with the service key. */
export const requestRoles = ['anon', 'authenticated', 'project_admin', 'service_role'] as const;

export type RequestRole = (typeof requestRoles)[number];

export const rowActions = ['select', 'insert', 'update', 'delete'] as const;

export type RowAction = (typeof rowActions)[number];

export interface RelationRights {
  readonly oid: number;
  readonly name: string;
  /** Whether requests can name it. */
  readonly shown: boolean;
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f';
  readonly owner: string;
  readonly secured: boolean;
  readonly forced: boolean;
  /** For a view: whether it reads with the rights of its reader. */
  readonly invoker: boolean;
  /** Of the letters a, w and d: what can be done at all; without the triggers of a view, and with them. */
  readonly writable: string;
  readonly writableByTrigger: string;
  readonly roles: Readonly<Record<string, RoleRights>>;
  readonly policies: readonly PolicyRights[] | null;
  /** Relations that a view reads from. */
  readonly bases: readonly number[] | null;
}

interface RoleRights {
  /** Of the whole relation. */
  readonly whole: readonly RowAction[] | null;
  /** Of single columns, where that is all there is. */
  readonly columns: Partial<Readonly<Record<RowAction, readonly string[] | null>>>;
  /** Whether policies do not concern the role. */
  readonly bypasses: boolean;
}

export interface PolicyRights {
  readonly name: string;
  readonly command: RowAction | 'all';
  readonly permissive: boolean;
  /** Roles that it is about, of those that requests run as and of owners. */
  readonly roles: readonly string[] | null;
  readonly using: string | null;
  readonly check: string | null;
}

export interface FunctionRights {
  readonly name: string;
  /** Types of its arguments, as SQL names them. */
  readonly arguments: string;
  /** Whether it runs with the rights of its owner. */
  readonly definer: boolean;
  readonly callers: readonly string[] | null;
}

const ofColumns = (action: RowAction) => `case when has_table_privilege(r.oid, c.oid, '${action}') then null else (
  select json_agg(a.attname order by a.attnum) from pg_attribute a
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    and has_column_privilege(r.oid, c.oid, a.attnum, '${action}')) end`;

const writable = (triggers: boolean) => `(select concat(case when u & 8 > 0 then 'a' end,
  case when u & 4 > 0 then 'w' end, case when u & 16 > 0 then 'd' end) from pg_relation_is_updatable(c.oid, ${triggers}) u)`;

/** Everything in one statement; run with no path to search, so that conditions name every schema. */
export const accessFactsSql = `
with recursive given as (
  select name::regrole::oid as oid, name from unnest(array[${requestRoles.map((role) => `'${role}'`).join(', ')}]) _ (name)
), read as (
  select distinct w.ev_class as view, d.refobjid as base
  from pg_rewrite w join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
    and d.refclassid = 'pg_class'::regclass and d.refobjid <> w.ev_class
  where w.ev_type = '1'
), wanted as (
  select c.oid from pg_class c where c.relnamespace = 'public'::regnamespace
    and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
  union
  select b.base from wanted w join read b on b.view = w.oid
), roles as (
  -- What roles may is in a catalog that only the platform reads: this one is made so.
  select oid, name, name = 'service_role' as bypasses from given
  union
  -- Owners besides those are the platform itself.
  select c.relowner, pg_get_userbyid(c.relowner)::text, true from wanted w join pg_class c on c.oid = w.oid
    where c.relowner not in (select oid from given)
)
select json_build_object(
  'relations', (select coalesce(json_agg(json_build_object(
      'oid', c.oid::int8, 'name', c.relname, 'kind', c.relkind, 'owner', pg_get_userbyid(c.relowner),
      'shown', c.relnamespace = 'public'::regnamespace and not c.relispartition,
      'secured', c.relrowsecurity, 'forced', c.relforcerowsecurity,
      'invoker', coalesce((select o.option_value::boolean from pg_options_to_table(c.reloptions) o
        where o.option_name = 'security_invoker'), false),
      'writable', ${writable(false)}, 'writableByTrigger', ${writable(true)},
      'roles', (select json_object_agg(r.name, json_build_object(
          'whole', (select json_agg(p.name) from unnest(array[${rowActions.map((action) => `'${action}'`).join(', ')}]) p (name)
            where has_table_privilege(r.oid, c.oid, p.name)),
          'columns', json_build_object('select', ${ofColumns('select')}, 'insert', ${ofColumns('insert')},
            'update', ${ofColumns('update')}),
          'bypasses', r.bypasses)) from roles r),
      'policies', (select json_agg(json_build_object(
          'name', p.polname, 'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert'
            when 'w' then 'update' when 'd' then 'delete' else 'all' end, 'permissive', p.polpermissive,
          'roles', (select json_agg(r.name) from roles r where exists (select from unnest(p.polroles) o (oid)
            where o.oid = 0 or pg_has_role(r.oid, o.oid, 'usage'))),
          'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname)
        from pg_policy p where p.polrelid = c.oid),
      'bases', (select json_agg(b.base::int8) from read b join pg_class k on k.oid = b.base
        where b.view = c.oid and k.relkind in ('r', 'p', 'v', 'm', 'f'))) order by c.relname), '[]')
    from wanted w join pg_class c on c.oid = w.oid),
  'functions', (select coalesce(json_agg(json_build_object(
      'name', p.proname, 'arguments', pg_get_function_identity_arguments(p.oid), 'definer', p.prosecdef,
      'callers', (select json_agg(r.name) from given r where has_function_privilege(r.oid, p.oid, 'execute')))
      order by p.proname, p.oid), '[]')
    from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype))
)::text`;
