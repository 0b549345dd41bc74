import {
  type AccessFacts,
  type PolicyRights,
  type RelationRights,
  type RequestRole,
  type RowAction,
  requestRoles,
  rowActions,
} from './access-facts.ts';

/**
 * Which rows an action reaches: every row, those of the caller's own, those that a policy decides about, or none.
 */
export type Reach = 'all' | 'own' | 'policy' | 'none';

/**
 * Why: the role has no privilege; the relation cannot be written; no policy lets the role; the caller is no user; a
 * policy decides; row security is off; or it does not hold for the role.
 */
export type Cause =
  | 'no_privilege'
  | 'read_only'
  | 'no_policy'
  | 'no_user'
  | 'policy'
  | 'no_row_security'
  | 'bypasses_row_security';

export interface Reached {
  readonly rows: Reach;
  readonly cause: Cause;
  /** Columns that the privilege is for; null for all of them. */
  readonly columns: readonly string[] | null;
  /** The column that holds the owner, where the rows are the caller's own. */
  readonly ownerColumn: string | null;
  /** The policies that decide, of the relation itself or of those that a view reads. */
  readonly policies: readonly DecidingPolicy[];
}

export interface DecidingPolicy {
  readonly table: string;
  readonly name: string;
  /** Whether it only narrows what others allow. */
  readonly restrictive: boolean;
  readonly using: string | null;
  readonly check: string | null;
}

export interface RoleAccess extends Readonly<Record<RowAction, Reached>> {
  readonly role: RequestRole;
}

export interface RelationAccess {
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized_view' | 'foreign_table';
  readonly rowSecurity: boolean;
  readonly roles: readonly RoleAccess[];
}

export interface FunctionAccess {
  readonly name: string;
  readonly arguments: string;
  readonly securityDefiner: boolean;
  readonly callers: readonly RequestRole[];
}

const kinds = { r: 'table', p: 'table', v: 'view', m: 'materialized_view', f: 'foreign_table' } as const;

export interface Access {
  readonly relations: readonly RelationAccess[];
  readonly functions: readonly FunctionAccess[];
}

/** The most that is told of policies, in characters: each view tells those of all that it reads, for each role. */
export const policiesMax = 8 * 1024 * 1024;

class TooManyPoliciesError extends Error {}

/**
 * What requests of each role reach of every relation and function that they can name. The tenant's views decide how long
 * that takes, so it runs in a thread.
 *
 * @param facts what `accessFactsSql` answers
 * @returns undefined where policies of more than {@link policiesMax} would have to be told
 */
export function readAccess(facts: string): Access | undefined {
  try {
    return accessOf(JSON.parse(facts) as AccessFacts);
  } catch (error) {
    if (error instanceof TooManyPoliciesError) return undefined;
    throw error;
  }
}

function accessOf({ relations, functions }: AccessFacts): Access {
  const byOid = new Map(relations.map((one) => [one.oid, one]));
  const reading: Reading = { byOid, known: new Map(), policies: new Map(), told: 0 };
  return {
    relations: relations
      .filter(({ shown }) => shown)
      .map((one) => ({
        name: one.name,
        kind: kinds[one.kind],
        rowSecurity: one.secured,
        roles: requestRoles.map((role) => {
          const reach = (action: RowAction) => reached(one, role, role, action, reading);
          return { role, ...(Object.fromEntries(rowActions.map((action) => [action, reach(action)])) as Actions) };
        }),
      })),
    functions: functions.map(({ name, arguments: args, definer, callers }) => ({
      name,
      arguments: args,
      securityDefiner: definer,
      callers: requestRoles.filter((role) => callers?.includes(role)),
    })),
  };
}

type Actions = Record<RowAction, Reached>;

interface Reading {
  readonly byOid: ReadonlyMap<number, RelationRights>;
  /** What was found; of a relation that is being looked at, nothing yet. */
  readonly known: Map<string, Reached>;
  /** What is told of a policy: the same each time, by which it is known again. */
  readonly policies: Map<PolicyRights, DecidingPolicy>;
  /** Length of the policies that were found, in characters. */
  told: number;
}

const nothing = (cause: Cause): Reached => ({ rows: 'none', cause, columns: null, ownerColumn: null, policies: [] });

/**
 * Looks at each relation once: views may read one another in many layers, or in a circle, of which nobody can read.
 *
 * @param as the role whose rights count: of the caller, or of the owner of a view
 * @param caller whose request it is: policies ask who that is, whatever role they run as
 * @throws TooManyPoliciesError
 */
function reached(
  relation: RelationRights,
  as: string,
  caller: RequestRole,
  action: RowAction,
  reading: Reading,
): Reached {
  const key = `${relation.oid} ${caller} ${action} ${as}`;
  const known = reading.known.get(key);
  if (known !== undefined) return known;
  reading.known.set(key, nothing('read_only'));
  const found = decide(relation, as, caller, action, reading);
  for (const { table, name, using, check } of found.policies)
    reading.told += table.length + name.length + (using?.length ?? 0) + (check?.length ?? 0);
  if (reading.told > policiesMax) throw new TooManyPoliciesError();
  reading.known.set(key, found);
  return found;
}

function decide(
  relation: RelationRights,
  as: string,
  caller: RequestRole,
  action: RowAction,
  reading: Reading,
): Reached {
  const rights = relation.roles[as];
  const whole = rights?.whole?.includes(action) === true;
  const columns = whole ? null : (rights?.columns[action] ?? null);
  if (!whole && columns === null) return nothing('no_privilege');
  if (relation.kind === 'v') return { ...throughView(relation, as, caller, action, reading), columns };
  if (!isWritable(relation.writable, action)) return nothing('read_only');
  if (!relation.secured) return { ...nothing('no_row_security'), rows: 'all', columns };
  if (rights!.bypasses || (relation.owner === as && !relation.forced))
    return { ...nothing('bypasses_row_security'), rows: 'all', columns };
  return { ...byPolicies(relation, as, caller, action, reading), columns };
}

const letters = { insert: 'a', update: 'w', delete: 'd' } as const;

const isWritable = (writable: string, action: RowAction) => action === 'select' || writable.includes(letters[action]);

/** What a view lets through: the least of what is reached of the relations that it reads. */
function throughView(
  view: RelationRights,
  as: string,
  caller: RequestRole,
  action: RowAction,
  reading: Reading,
): Reached {
  if (!isWritable(view.writableByTrigger, action)) return nothing('read_only');
  // Its trigger decides about the change.
  if (!isWritable(view.writable, action)) return { ...nothing('no_row_security'), rows: 'all' };
  const reader = view.invoker ? as : view.owner;
  const found = (view.bases ?? []).flatMap((oid) => {
    const base = reading.byOid.get(oid);
    return base === undefined ? [] : [reached(base, reader, caller, action, reading)];
  });
  // Each is told once, by however many ways it is reached.
  const policies = [...new Set(found.flatMap((one) => one.policies))];
  const rows = order.find((reach) => found.some((one) => one.rows === reach));
  const least = found.find((one) => one.rows === rows);
  return least === undefined ? { ...nothing('no_row_security'), rows: 'all' } : { ...least, columns: null, policies };
}

/** From the least to the most. */
const order: readonly Reach[] = ['none', 'policy', 'own', 'all'];

function byPolicies(
  relation: RelationRights,
  as: string,
  caller: RequestRole,
  action: RowAction,
  reading: Reading,
): Reached {
  const concerning = (relation.policies ?? []).filter(
    ({ roles, command }) => roles?.includes(as) === true && (command === 'all' || command === action),
  );
  const permissive = concerning.filter((one) => one.permissive && !conditions(one, action).includes('false'));
  const restrictive = concerning.filter((one) => !one.permissive && !isOpen(one, action));
  if (permissive.length === 0 || restrictive.some((one) => conditions(one, action).includes('false')))
    return nothing('no_policy');
  const open = permissive.filter((one) => isOpen(one, action));
  const deciding = [...(open.length > 0 ? open : permissive), ...restrictive];
  const policies = deciding.map((policy) => told(policy, relation, reading));
  const made = { cause: 'policy', columns: null, ownerColumn: null, policies } as const;
  if (restrictive.length > 0) return { ...made, rows: 'policy' };
  if (open.length > 0) return { ...made, rows: 'all' };
  const owners = permissive.map((one) => ownerColumnOf(one, action));
  const [owner] = owners;
  if (owner === undefined || owners.some((one) => one !== owner)) return { ...made, rows: 'policy' };
  // Nobody's id is compared with: a row has no owner then.
  if (caller === 'anon' || caller === 'service_role') return { ...made, rows: 'none', cause: 'no_user' };
  return { ...made, rows: 'own', ownerColumn: owner };
}

function told(policy: PolicyRights, { name: table }: RelationRights, { policies }: Reading): DecidingPolicy {
  const { name, permissive, using, check } = policy;
  const known = policies.get(policy) ?? { table, name, restrictive: !permissive, using, check };
  policies.set(policy, known);
  return known;
}

/** The conditions that a row has to meet for an action: as it was, and as it becomes. */
function conditions({ using, check }: PolicyRights, action: RowAction): readonly string[] {
  const before = using ?? 'true';
  const after = check ?? before;
  if (action === 'insert') return [after];
  return action === 'update' ? [before, after] : [before];
}

const isOpen = (policy: PolicyRights, action: RowAction) => conditions(policy, action).every((one) => one === 'true');

const columnName = '("(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)';
const column = `(?:${columnName}|\\(${columnName}\\)::text)`;
const callerId = String.raw`(?:auth\.uid\(\)|\(auth\.uid\(\)\)::text|\( SELECT auth\.uid\(\) AS uid\)|\( SELECT \(auth\.uid\(\)\)::text AS uid\))`;
const ownedBy = [new RegExp(`^\\(${column} = ${callerId}\\)$`), new RegExp(`^\\(${callerId} = ${column}\\)$`)];

/** The column that a policy compares with the caller's id, where that is all it asks. */
function ownerColumnOf(policy: PolicyRights, action: RowAction): string | undefined {
  const found = conditions(policy, action).map((condition) => {
    const match = ownedBy.map((form) => form.exec(condition)).find((one) => one !== null);
    const name = match?.[1] ?? match?.[2];
    return name?.startsWith('"') === true ? name.slice(1, -1).replaceAll('""', '"') : name;
  });
  const [first] = found;
  return first !== undefined && found.every((one) => one === first) ? first : undefined;
}
