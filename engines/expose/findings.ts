import { wrongCalls } from './custom-calls.ts';
import type { Facts } from './facts.ts';
import { errorAt, type Finding, pathOf, warningAt } from './finding.ts';
import type { ManifestTable } from './manifest-shape.ts';
import type { Model } from './model.ts';
import { ownerTriggerNames } from './owner-trigger.ts';
import { inOrder } from './plan-views.ts';
import { policiesMadeBy, tablePolicy, textTypes } from './policies.ts';
import { functionsFor } from './resolve-rpc.ts';
import { readSignature } from './snippets.ts';
import type { Sound } from './sound.ts';

/** What is wrong, or worth a thought, about a manifest in front of a database. Contract 01, section 2.12. */
export function findingsOf({ manifest, places }: Sound, model: Model): Finding[] {
  const doubtful = model.doubts.length > 0;
  const found = [
    ...manifest.tables.flatMap((table, index) => ofTable(table, pathOf(['tables', places.tables[index]!]), model)),
    ...ofViews({ manifest, places }, model),
    ...manifest.rpcs.flatMap((rpc, index) => {
      const path = pathOf(['rpcs', places.rpcs[index]!]);
      const fitting = functionsFor(rpc, model.functions).length;
      // What no signature can be read of has its own finding.
      if (fitting === 1 || readSignature(rpc.signature) === undefined) return [];
      const called = `${rpc.name}${rpc.signature}`;
      return fitting === 0
        ? [errorAt('missing-rpc', path, `there is no function ${called}`, 'Create it, or correct the signature.')]
        : [errorAt('ambiguous-rpc', path, `several functions fit ${called}`, 'Name the types of its arguments.')];
    }),
  ];
  // What cannot be known to be missing is not said to be.
  const certain = found.filter(({ type }) => !(doubtful && type.startsWith('missing-')));
  return [...certain, ...model.doubts.map((doubt) => warningAt('validation-inconclusive', 'manifest', doubt))];
}

function ofTable(table: ManifestTable, path: string, model: Model): Finding[] {
  const relation = model.relations.get(table.name);
  if (relation?.kind !== 'table')
    return [errorAt('missing-table', `${path}.name`, `there is no table ${table.name}`, 'Create the table first.')];
  if (!table.expose) return [];
  const { columns, kin } = relation;
  const owner = table.policy === 'user_owns_rows' ? table.owner_column : undefined;
  const findings: Finding[] = table.policy === 'custom' ? wrongCalls(table, path, model) : [];
  if (table.live === true && kin)
    findings.push(
      errorAt(
        'schema-shape',
        `${path}.live`,
        `${table.name} has partitions, parents or children: what is written into one is not told of the other`,
        'Leave live out, or use a table of its own.',
      ),
    );
  if (columns === null) {
    if (owner !== undefined)
      findings.push(
        warningAt('validation-inconclusive', `${path}.owner_column`, `the columns of ${table.name} are not known`),
      );
    return findings;
  }
  const type = owner === undefined ? undefined : columns.get(owner);
  if (owner !== undefined && type === undefined)
    findings.push(errorAt('missing-column', `${path}.owner_column`, `${table.name} has no column ${owner}`));
  if (type !== undefined && type !== 'uuid' && type !== 'unknown')
    findings.push(
      textTypes.has(type)
        ? warningAt('owner-column-not-uuid', `${path}.owner_column`, 'is compared as text', 'Make it a uuid.')
        : errorAt('schema-shape', `${path}.owner_column`, `is of type ${type}, which holds no user id`),
    );
  if (isPubliclyWritable(table, type))
    for (const column of columns.keys())
      if (isSensitive(column))
        findings.push(
          warningAt('sensitive-column-public-write', path, `anybody may write the column ${column} of ${table.name}`),
        );
  return findings;
}

function isPubliclyWritable(table: ManifestTable, ownerType: string | undefined): boolean {
  const anonymous = tablePolicy(table, ownerType).privileges.get('anon');
  return anonymous?.has('insert') === true || anonymous?.has('update') === true;
}

const sensitiveWords =
  /(^|_)(pass(word|wd|phrase|code)?|pwd|secret|token|(api|private|access)_?key|ssn|pin|otp|cvv)s?(_|$)/;
const isSensitive = (column: string) =>
  sensitiveWords.test(column.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase());

function ofViews({ manifest: { views }, places }: Sound, model: Model): Finding[] {
  const listed = new Map(views.map((view) => [view.name, view]));
  const shown = new Map<string, ReadonlySet<string> | null>();
  const findings: Finding[] = [];
  for (const view of inOrder(views)) {
    const path = pathOf(['views', places.views[views.indexOf(view)]!]);
    const ofManifest = listed.has(view.base);
    const base = ofManifest ? shown.get(view.base) : columnNames(model.relations.get(view.base)?.columns);
    if (base === undefined) {
      const words = ofManifest ? 'reads from itself, by way of others or not' : `there is no relation ${view.base}`;
      findings.push(errorAt(ofManifest ? 'schema-shape' : 'missing-view-base', `${path}.base`, words));
      continue;
    }
    for (const [index, column] of view.select.entries()) {
      if (column === '*' || base === null || base.has(column)) continue;
      const words = `${view.base} has no column ${column}`;
      findings.push(errorAt('missing-column', `${path}.select[${index}]`, words));
    }
    if (base === null)
      findings.push(warningAt('validation-inconclusive', path, `the columns of ${view.base} are not known`));
    shown.set(view.name, view.select.includes('*') ? base : new Set(view.select));
  }
  return findings;
}

function columnNames(columns: ReadonlyMap<string, string> | null | undefined): ReadonlySet<string> | null | undefined {
  return columns instanceof Map ? new Set(columns.keys()) : (columns as null | undefined);
}

/** Names that a manifest would give to something that is there already, and that no manifest made. */
export function conflictsOf({ manifest, places }: Sound, { relations, functions }: Facts): Finding[] {
  const byName = new Map(relations.map((one) => [one.name, one]));
  const taken = (path: readonly PropertyKey[], what: string, fix?: string) =>
    errorAt('schema-shape', pathOf(path), `${what} is there already, and no manifest made it`, fix);
  return [
    ...manifest.views.flatMap(({ name }, index) =>
      byName.get(name)?.ours === false ? [taken(['views', places.views[index]!, 'name'], name)] : [],
    ),
    ...manifest.tables.flatMap((table, index) => {
      if (!table.expose) return [];
      const at = ['tables', places.tables[index]!];
      const made = ownerTriggerNames(table.name).function;
      const isTaken = functions.some((one) => one.name === made && one.types.length === 0 && !one.ours);
      const own = byName.get(table.name)?.policies?.filter(({ ours }) => !ours) ?? [];
      const clashing = new Set(policiesMadeBy(table));
      return [
        ...(table.force_owner_on_insert === true && isTaken
          ? [taken([...at, 'force_owner_on_insert'], `the function ${made}`)]
          : []),
        ...own
          .filter(({ name }) => clashing.has(name))
          .map(({ name }) =>
            taken([...at, table.policy === 'custom' ? 'custom_sql' : 'policy'], `the policy ${name}`, 'Drop it.'),
          ),
      ];
    }),
  ];
}
