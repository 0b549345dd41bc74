import { parseSql, type SqlNode, SqlSyntaxError } from '../sql/parse-sql.ts';
import type { Privilege } from './privileges.ts';

/** A policy that custom SQL makes. */
export interface CustomPolicy {
  readonly name: string;
  readonly roles: readonly string[];
  readonly privileges: readonly Privilege[];
}

export interface CustomSql {
  readonly statements: readonly string[];
  readonly policies: readonly CustomPolicy[];
  /** Names of the policies that it drops. */
  readonly dropped: readonly string[];
  /** Why it cannot be used. */
  readonly fault?: string;
}

const all = ['select', 'insert', 'update', 'delete'] as const;
const byCommand: Readonly<Record<string, readonly Privilege[]>> = {
  select: ['select'],
  insert: ['insert'],
  update: ['update'],
  delete: ['delete'],
  all,
};

/**
 * Reads the SQL of a custom policy. It may make policies of its own table, and drop those of a name that it makes
 * again; who may do what follows from them, since no statement of it may say so.
 */
export function readCustomSql(text: string, table: string): CustomSql {
  const nothing = (fault: string): CustomSql => ({ statements: [], policies: [], dropped: [], fault });
  const policies: CustomPolicy[] = [];
  const statements: string[] = [];
  const dropped: string[] = [];
  try {
    for (const { node, text: statement } of parseSql(text)) {
      const policy = policyOf(node);
      const drops = policy === undefined ? droppedPolicy(node) : undefined;
      if (policy !== undefined && policy.table === table) policies.push(policy);
      else if (drops !== undefined && drops.table === table) dropped.push(drops.name);
      else return nothing(`may only CREATE POLICY on ${table}`);
      statements.push(statement);
    }
  } catch (error) {
    if (error instanceof SqlSyntaxError) return nothing(error.message);
    throw error;
  }
  return policies.length === 0 ? nothing(`makes no policy on ${table}`) : { statements, policies, dropped };
}

function policyOf(node: SqlNode): (CustomPolicy & { readonly table: string | undefined }) | undefined {
  if (!('CreatePolicyStmt' in node)) return undefined;
  const { policy_name: name = '', table, cmd_name: command = 'all', permissive, roles = [] } = node.CreatePolicyStmt;
  const { schemaname = 'public', relname } = table ?? {};
  const named = roles.flatMap((role) => {
    if (!('RoleSpec' in role)) return [];
    const { roletype, rolename = '' } = role.RoleSpec;
    return roletype === 'ROLESPEC_PUBLIC' ? ['anon', 'authenticated', 'project_admin'] : [rolename];
  });
  return {
    name,
    roles: named,
    // A restrictive policy only narrows what others allow.
    privileges: permissive === true ? (byCommand[command] ?? []) : [],
    table: schemaname === 'public' ? relname : undefined,
  };
}

function droppedPolicy(node: SqlNode): { readonly table: string; readonly name: string } | undefined {
  if (!('DropStmt' in node) || node.DropStmt.removeType !== 'OBJECT_POLICY') return undefined;
  const [object, ...more] = node.DropStmt.objects ?? [];
  if (object === undefined || more.length > 0 || !('List' in object)) return undefined;
  const names = (object.List.items ?? []).flatMap((item) => ('String' in item ? [item.String.sval ?? ''] : []));
  const [name, table, schema = 'public'] = names.reverse();
  return name !== undefined && table !== undefined && schema === 'public' ? { table, name } : undefined;
}
