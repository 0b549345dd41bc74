import { quoteIdentifier } from '../rows/sql/sql.ts';
import { type Facts, type FunctionFacts, type Grants, mark, type RelationFacts } from './facts.ts';
import type { Manifest } from './manifest-shape.ts';
import { ownerTrigger, ownerTriggerNames } from './owner-trigger.ts';
import { planViews } from './plan-views.ts';
import { publicRoles, tablePolicy } from './policies.ts';
import type { Privileges } from './privileges.ts';
import { functionsFor } from './resolve-rpc.ts';

/** Names of what a manifest is about. */
export interface Named {
  readonly tables: readonly string[];
  readonly views: readonly string[];
  readonly rpcs: readonly string[];
}

export interface ApplyPlan {
  readonly statements: readonly string[];
  readonly applied: Named;
  readonly dropped: Named;
}

const qualified = (name: string) => `public.${quoteIdentifier(name)}`;
const others = ['public', ...publicRoles].join(', ');

/**
 * The statements that make a database show what a manifest says, and nothing besides. Run in one transaction by the
 * owner of the tables; running them again changes nothing.
 *
 * @param manifest of which nothing is missing in the database
 */
export function planApply(manifest: Manifest, facts: Facts): ApplyPlan {
  const exposed = manifest.tables.filter(({ expose }) => expose);
  const byName = new Map(facts.relations.map((relation) => [relation.name, relation]));
  const policies = new Map(
    exposed.map((table) => {
      const owner = byName.get(table.name)?.columns?.find(({ name }) => name === table.owner_column);
      return [table.name, { table, ...tablePolicy(table, owner?.type), ownerType: owner?.type }] as const;
    }),
  );
  const views = planViews(manifest.views, facts);
  const privileges = new Map<string, Privileges>([
    ...[...policies].map(([name, policy]) => [name, policy.privileges] as const),
    ...views.privileges,
  ]);
  const callable = manifest.rpcs.map((rpc) => ({ rpc, functions: functionsFor(rpc, facts.functions) }));
  const wanted = new Set(callable.flatMap(({ functions }) => functions));
  const own = facts.relations.filter(({ owned }) => owned);
  const closing = own.filter((one) => isOpen(one.grants, one.columnGrants) && !privileges.has(one.name));
  const closed = closing.filter(({ ours }) => !ours);
  const silenced = facts.functions.filter((one) => one.owned && isOpen(one.grants) && !wanted.has(one));
  return {
    statements: [
      ...own.flatMap(withoutPolicies),
      ...withoutOwnerTriggers(own, facts, new Set(exposed.filter((one) => one.force_owner_on_insert).map(nameOf))),
      ...views.statements,
      ...closing
        .filter(({ name }) => !views.dropped.includes(name))
        .map(({ name }) => `revoke all on ${qualified(name)} from ${others}`),
      ...[...policies.values()].flatMap(({ table, statements, policies: made, ownerType }) => [
        ...secured(byName.get(table.name)),
        ...statements,
        ...made.map((one) => `comment on policy ${quoteIdentifier(one)} on ${qualified(table.name)} is '${mark}'`),
        ...ownerSupport(table, byName.get(table.name), ownerType),
      ]),
      ...[...privileges].flatMap(([name, one]) => granting(name, one)),
      ...sequenceGrants(facts, privileges),
      ...silenced.map((one) => `revoke all on function ${signatureOf(one)} from ${others}`),
      ...callable.flatMap(({ rpc, functions }) =>
        functions.flatMap((one) => [
          `revoke all on function ${signatureOf(one)} from ${others}`,
          `grant execute on function ${signatureOf(one)} to ${[...new Set(rpc.grant_to)].join(', ')}`,
        ]),
      ),
      keepLive(exposed),
    ],
    applied: {
      tables: exposed.map(({ name }) => name),
      views: manifest.views.map(({ name }) => name),
      rpcs: manifest.rpcs.map(({ name }) => name),
    },
    dropped: {
      tables: closed.map(({ name }) => name),
      views: views.dropped,
      rpcs: silenced.filter(({ ours }) => !ours).map(({ name }) => name),
    },
  };
}

const isOpen = (grants: Grants | null, columnGrants = false) =>
  columnGrants || ['public', ...publicRoles].some((role) => grants?.[role] !== undefined);

const signatureOf = ({ name, identity }: FunctionFacts) => `${qualified(name)}(${identity})`;

const withoutPolicies = ({ name, policies }: RelationFacts) =>
  (policies ?? [])
    .filter(({ ours }) => ours)
    .map((policy) => `drop policy ${quoteIdentifier(policy.name)} on ${qualified(name)}`);

/** Hints are written by triggers that the database makes itself: what nobody of the tenant's may write, it may. */
function keepLive(exposed: readonly Manifest['tables'][number][]): string {
  const live = exposed.filter((table) => table.live === true);
  const wanted = live.map(({ name, policy, owner_column: owner }) => ({
    table: name,
    ...(policy === 'user_owns_rows' ? { owner } : {}),
  }));
  // Names of a manifest hold nothing that a literal would have to escape.
  return `select _svc.keep_live('${JSON.stringify(wanted)}')`;
}

function secured(relation: RelationFacts | undefined): string[] {
  if (relation === undefined || (relation.secured && relation.forced)) return [];
  return [`alter table ${qualified(relation.name)} enable row level security, force row level security`];
}

const nameOf = ({ name }: { readonly name: string }) => name;

/**
 * Takes away triggers that fill owners in, and their functions, where the manifest no longer asks for them: under the
 * names that it would give them, since tables may have been renamed or dropped.
 */
function withoutOwnerTriggers(
  own: readonly RelationFacts[],
  { functions }: Facts,
  filled: ReadonlySet<string>,
): string[] {
  const kept = new Set([...filled].map((table) => ownerTriggerNames(table).function));
  return [
    ...own.flatMap(({ name, setsOwner }) =>
      (setsOwner ?? [])
        .filter((trigger) => !filled.has(name) || trigger !== ownerTriggerNames(name).trigger)
        .map((trigger) => `drop trigger ${quoteIdentifier(trigger)} on ${qualified(name)}`),
    ),
    ...functions
      .filter(({ name, ours, owned }) => ours && owned && !kept.has(name))
      .map((one) => `drop function ${signatureOf(one)}`),
  ];
}

function ownerSupport(
  { name, policy, owner_column: owner, force_owner_on_insert: force }: Manifest['tables'][number],
  relation: RelationFacts | undefined,
  ownerType: string | undefined,
): string[] {
  if (policy !== 'user_owns_rows' || owner === undefined) return [];
  const indexed = relation?.indexed?.includes(owner) === true;
  return [
    ...(indexed ? [] : [`create index on ${qualified(name)} (${quoteIdentifier(owner)})`]),
    ...(force === true ? ownerTrigger(name, owner, ownerType ?? 'uuid') : []),
  ];
}

function granting(name: string, privileges: Privileges): string[] {
  return [
    `revoke all on ${qualified(name)} from ${others}`,
    ...[...privileges].flatMap(([role, one]) =>
      one.size === 0 ? [] : [`grant ${[...one].sort().join(', ')} on ${qualified(name)} to ${role}`],
    ),
  ];
}

/** A role that may insert takes the next number, too. */
function sequenceGrants({ sequences }: Facts, privileges: ReadonlyMap<string, Privileges>): string[] {
  return sequences.flatMap(({ name, owned, grants, tables }) => {
    if (!owned) return [];
    const roles = publicRoles.filter((role) =>
      (tables ?? []).some((table) => privileges.get(table)?.get(role)?.has('insert') === true),
    );
    return [
      ...(isOpen(grants) ? [`revoke all on sequence ${qualified(name)} from ${others}`] : []),
      ...(roles.length > 0 ? [`grant usage on sequence ${qualified(name)} to ${roles.join(', ')}`] : []),
    ];
  });
}
