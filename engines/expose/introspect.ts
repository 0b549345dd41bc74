import { quoteIdentifier } from '../rows/sql/sql.ts';
import type { Facts, FunctionFacts, PolicyFacts, RelationFacts } from './facts.ts';
import { grantRoles, type Manifest, type ManifestTable } from './manifest-shape.ts';

/** The manifest that a database behaves like, from its privileges; for one that none was applied to. */
export function introspect({ relations, functions }: Facts): Manifest {
  return {
    version: '1',
    tables: relations.filter(({ kind }) => kind === 'r' || kind === 'p').flatMap(tableOf),
    views: [],
    rpcs: functions.flatMap(rpcOf),
  };
}

const grantedTo = ({ grants }: RelationFacts, role: string) =>
  new Set([...(grants?.[role] ?? []), ...(grants?.public ?? [])].filter((one) => every.includes(one)));
const every: readonly string[] = ['select', 'insert', 'update', 'delete'];

function tableOf(relation: RelationFacts): ManifestTable[] {
  const [anonymous, users] = [grantedTo(relation, 'anon'), grantedTo(relation, 'authenticated')];
  if (anonymous.size + users.size === 0) return [];
  const { name, policies } = relation;
  const open = !relation.secured && anonymous.size === 4;
  if (open)
    return [{ name, expose: true, policy: 'public_read_write_UNRESTRICTED', i_understand_this_is_unrestricted: true }];
  // Anything less plain is told as it is, policy by policy.
  const sql = (policies ?? []).map((policy) => policySql(name, policy)).join('\n');
  return sql === '' ? [] : [{ name, expose: true, policy: 'custom', custom_sql: sql }];
}

function policySql(table: string, { name, command, permissive, roles, using, check }: PolicyFacts): string {
  const parts = [
    `create policy ${quoteIdentifier(name)} on public.${quoteIdentifier(table)}`,
    ...(permissive ? [] : ['as restrictive']),
    `for ${command} to ${roles.map((role) => (role === 'public' ? role : quoteIdentifier(role))).join(', ')}`,
    ...(using === null ? [] : [`using (${using})`]),
    ...(check === null ? [] : [`with check (${check})`]),
  ];
  return `${parts.join(' ')};`;
}

function rpcOf({ name, types, grants }: FunctionFacts): Manifest['rpcs'] {
  const roles = grantRoles.filter((role) => grants?.[role]?.includes('execute') || grants?.public?.includes('execute'));
  return roles.length === 0 ? [] : [{ name, signature: `(${types.join(', ')})`, grant_to: roles }];
}
