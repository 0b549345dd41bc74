import type { Command } from '../command.ts';
import { projectEndpoint } from '../import/project-endpoint.ts';
import { projectFlag, requireProject } from '../resolve.ts';

/** A row of `pg_policies`, or a table without a policy. */
interface PolicyRow {
  readonly table: string;
  readonly table_sql: string;
  readonly policy: string | null;
  readonly kind: string;
  readonly command: string;
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
  /** Functions of the project that the policy calls, with their argument types. */
  readonly calls: readonly { readonly name: string; readonly signature: string }[];
}

/** Only names and roles that a manifest can contain. The service key bypasses every policy. */
const policiesSql = `select c.relname as table, 'public.' || quote_ident(c.relname) as table_sql,
    quote_ident(p.policyname) as policy, lower(p.permissive) as kind, lower(p.cmd) as command, p.qual as using, p.with_check as check,
    array(select r::text from unnest(p.roles) r where r in ('public', 'anon', 'authenticated', 'project_admin')) as roles,
    coalesce((select json_agg(distinct jsonb_build_object('name', f.proname, 'signature', '(' || oidvectortypes(f.proargtypes) || ')'))
      from pg_policy o join pg_depend d on d.classid = 'pg_policy'::regclass and d.objid = o.oid
        and d.refclassid = 'pg_proc'::regclass
      join pg_proc f on f.oid = d.refobjid and f.pronamespace = c.relnamespace
      where o.polrelid = c.oid and o.polname = p.policyname), '[]') as calls
  from pg_class c left join pg_policies p on p.schemaname = 'public' and p.tablename = c.relname
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname ~ '^[a-z_][a-z0-9_]*$'
  order by c.relname, p.policyname`;

const policySql = ({ policy, table_sql, kind, command, roles, using, check }: PolicyRow): string =>
  [
    `drop policy if exists ${policy} on ${table_sql};\ncreate policy ${policy} on ${table_sql}`,
    `as ${kind} for ${command} to ${roles.join(', ')}`,
    ...(using === null ? [] : [`using (${using})`]),
    ...(check === null ? [] : [`with check (${check})`]),
  ].join(' ');

/** Drafts a manifest that exposes tables according to their policies. */
function manifestOf(rows: readonly PolicyRow[]) {
  const policies = rows.filter(({ policy, roles }) => policy !== null && roles.length > 0);
  const tables = [...new Set(rows.map(({ table }) => table))].map((name) => {
    const statements = policies.filter(({ table }) => table === name).map((row) => `${policySql(row)};`);
    return statements.length === 0
      ? { name, expose: false }
      : { name, expose: true, policy: 'custom', custom_sql: statements.join('\n') };
  });
  const rpcs = new Map<string, { readonly name: string; readonly signature: string; grant_to: string[] }>();
  for (const { calls, roles } of policies)
    for (const { name, signature } of calls) {
      const key = name + signature;
      const everybody = roles.includes('public') ? ['anon', 'authenticated', 'project_admin'] : roles;
      const granted = new Set([...(rpcs.get(key)?.grant_to ?? []), ...everybody]);
      rpcs.set(key, { name, signature, grant_to: [...granted].sort() });
    }
  return { version: '1', tables, views: [], rpcs: [...rpcs.values()] };
}

export const draftExpose: Command = {
  words: 'projects draft-expose',
  summary: 'Write a manifest that shows the tables by the policies that they have, as after an import.',
  about: [
    'It changes nothing. Tables without a policy stay dark (`"expose": false`), and of functions only those are listed that the policies call. A table whose name has capital letters, blanks or signs is left out: rename it first.',
    'Read the manifest, add views and functions of your own, and hand it to `projects apply-expose`.',
  ],
  positionals: [{ name: 'project_id', optional: true, about: 'Project, prj_…; else as --project says.' }],
  flags: [projectFlag],
  examples: [['The draft, as JSON', 'projects draft-expose']],
  operations: ['projects.sql'],
  async run({ cli, positionals, flags }) {
    const project = await requireProject(cli, { argument: positionals.project_id, '--project': flags.text('project') });
    const { rows } = await projectEndpoint(cli, project).sql(policiesSql);
    return manifestOf(rows as PolicyRow[]);
  },
};
