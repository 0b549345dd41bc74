import type { z } from 'zod';
import { readCustomSql } from './custom-sql.ts';
import { errorAt, type Finding, type FindingType, pathOf } from './finding.ts';
import {
  entriesMax,
  grantRoles,
  type Manifest,
  type ManifestRpc,
  type ManifestTable,
  type ManifestView,
  manifestShape,
  rpcShape,
  tableShape,
  viewShape,
} from './manifest-shape.ts';
import { isExpression, readSignature } from './snippets.ts';
import { type Sound, wholly } from './sound.ts';

export type Checked =
  | { readonly manifest: Manifest; readonly findings: readonly [] }
  | { readonly manifest: undefined; readonly findings: readonly Finding[] };

/** Checks what can be said of a manifest by itself, without a database. */
export function checkManifest(raw: unknown): Checked {
  const parsed = manifestShape.safeParse(raw, { reportInput: true });
  if (!parsed.success) return { manifest: undefined, findings: parsed.error.issues.map(shapeFinding) };
  const { $schema: _ignored, ...manifest } = parsed.data;
  const findings = entryFindings(wholly(manifest));
  return findings.length === 0 ? { manifest, findings: [] } : { manifest: undefined, findings };
}

/** Everything that can be said of a manifest by itself, and what of it can be held against a database all the same. */
export function checkEntries(raw: Readonly<Record<string, unknown>>): { findings: Finding[]; sound: Sound } {
  const parsed = manifestShape.safeParse(raw, { reportInput: true });
  const shaped = parsed.success ? [] : parsed.error.issues.map(shapeFinding);
  const sound = soundPart(raw);
  return { findings: [...shaped, ...entryFindings(sound)], sound };
}

function soundPart(raw: Readonly<Record<string, unknown>>): Sound {
  const of = <Entry>(list: unknown, entry: z.ZodType<Entry>): readonly (readonly [number, Entry])[] =>
    !Array.isArray(list)
      ? []
      : list.slice(0, entriesMax).flatMap((one, index) => {
          const { success, data } = entry.safeParse(one);
          return success ? [[index, data] as const] : [];
        });
  const [tables, views, rpcs] = [of(raw.tables, tableShape), of(raw.views, viewShape), of(raw.rpcs, rpcShape)];
  return {
    manifest: {
      version: '1',
      tables: tables.map(([, one]) => one),
      views: views.map(([, one]) => one),
      rpcs: rpcs.map(([, one]) => one),
    },
    places: {
      tables: tables.map(([index]) => index),
      views: views.map(([index]) => index),
      rpcs: rpcs.map(([index]) => index),
    },
  };
}

function entryFindings({ manifest, places }: Sound): Finding[] {
  const at = (list: keyof typeof places, index: number, ...more: readonly string[]) =>
    pathOf([list, places[list][index]!, ...more]);
  return [
    ...manifest.tables.flatMap((one, index) => tableFindings(one, at('tables', index))),
    ...manifest.views.flatMap((one, index) => viewFindings(one, at('views', index))),
    ...manifest.rpcs.flatMap((one, index) => rpcFindings(one, at('rpcs', index))),
    ...repeated(
      [
        ...manifest.tables.map(({ name }, index) => [name, at('tables', index, 'name')] as const),
        ...manifest.views.map(({ name }, index) => [name, at('views', index, 'name')] as const),
      ],
      'is listed already',
    ),
    ...repeated(
      manifest.rpcs.map(({ name, signature }, index) => [
        `${name} ${readSignature(signature)?.map(({ type }) => type)}`,
        at('rpcs', index),
      ]),
      'is listed already',
    ),
  ];
}

function shapeFinding(issue: z.core.$ZodIssue): Finding {
  const path = pathOf([...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])]);
  const ofRole = issue.path.at(-2) === 'grant_to' && issue.code === 'invalid_value';
  return errorAt(ofRole ? 'grant-to-role-unknown' : 'schema-shape', path, wordsOf(issue));
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'unrecognized_keys') return 'is not known here';
  return issue.message;
}

function tableFindings(table: ManifestTable, path: string): Finding[] {
  const findings: Finding[] = [];
  const wrong = (type: FindingType, member: string, words: string, fix?: string) =>
    void findings.push(errorAt(type, `${path}.${member}`, words, fix));
  const { expose, policy, owner_column: owner, force_owner_on_insert: force, custom_sql: custom } = table;
  if (table.live === true && (!expose || policy === 'custom'))
    wrong('schema-shape', 'live', 'needs an exposed table with a policy other than custom');
  if (custom !== undefined && policy !== 'custom') wrong('schema-shape', 'custom_sql', 'belongs to the policy custom');
  if (force === true && owner === undefined)
    wrong('force-owner-without-owner-column', 'force_owner_on_insert', 'needs an owner_column');
  else if (force === true && policy !== 'user_owns_rows')
    wrong('schema-shape', 'force_owner_on_insert', 'belongs to the policy user_owns_rows');
  if (custom !== undefined) {
    const { fault, policies } = readCustomSql(custom, table.name);
    if (fault !== undefined) wrong('schema-shape', 'custom_sql', fault);
    for (const role of new Set(policies.flatMap(({ roles }) => roles)))
      if (role !== '' && !(grantRoles as readonly string[]).includes(role))
        wrong('grant-to-role-unknown', 'custom_sql', `there is no role ${role}`, `Use ${grantRoles.join(', ')}.`);
  }
  if (!expose) return findings;
  if (policy === undefined) wrong('schema-shape', 'policy', 'is required where expose is true');
  if (policy === 'user_owns_rows' && owner === undefined)
    wrong('schema-shape', 'owner_column', 'is required by the policy user_owns_rows');
  if (policy === 'custom' && custom === undefined)
    wrong('schema-shape', 'custom_sql', 'is required by the policy custom');
  if (policy === 'public_read_write_UNRESTRICTED' && table.i_understand_this_is_unrestricted !== true)
    wrong(
      'unrestricted-ack-required',
      'i_understand_this_is_unrestricted',
      'must be true: anybody may read, change and delete every row',
      'Set it to true, or choose another policy.',
    );
  return findings;
}

function viewFindings({ select, filter }: ManifestView, path: string): Finding[] {
  const findings: Finding[] = [];
  if (filter !== undefined && !isExpression(filter))
    findings.push(errorAt('schema-shape', `${path}.filter`, 'must be one expression of SQL'));
  if (new Set(select).size < select.length || (select.includes('*') && select.length > 1))
    findings.push(errorAt('schema-shape', `${path}.select`, 'names a column twice'));
  return findings;
}

const rpcFindings = ({ signature }: ManifestRpc, path: string): Finding[] =>
  readSignature(signature) === undefined
    ? [errorAt('schema-shape', `${path}.signature`, 'must be a list of arguments, such as (user_id uuid)')]
    : [];

function repeated(named: readonly (readonly [string, string])[], words: string): Finding[] {
  const seen = new Set<string>();
  return named.flatMap(([name, path]) => {
    if (seen.has(name)) return [errorAt('schema-shape', path, words)];
    seen.add(name);
    return [];
  });
}
