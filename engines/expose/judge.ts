import { type AnalysisQuery, askedOf } from './analysed.ts';
import { routinesOf } from './custom-calls.ts';
import type { Facts } from './facts.ts';
import type { Finding } from './finding.ts';
import { conflictsOf, findingsOf } from './findings.ts';
import { checkEntries } from './manifest.ts';
import { followMigration } from './migration.ts';
import { emptyModel, modelOf } from './model.ts';

/** What a manifest is held against, as databases answer it. */
export interface Ground {
  /** The answer of `factsSql`. @default an empty database */
  readonly facts?: string;
  /** The answer of `routinesSql`, and whether it was asked of a project's own database. @default not asked */
  readonly routines?: { readonly called: string; readonly everywhere: boolean };
}

export interface Judgement {
  readonly findings: readonly Finding[];
  /** What only PostgreSQL can tell, of a database as it is. */
  readonly asked: readonly AnalysisQuery[];
}

/** What is wrong with a manifest in front of a database, once a migration has been run on it. */
export function judgeManifest(
  raw: Readonly<Record<string, unknown>>,
  { facts: text, routines: asked }: Ground,
  migration: string | undefined,
): Judgement {
  const { findings: ofEntries, sound } = checkEntries(raw);
  const routines = asked === undefined ? undefined : routinesOf(asked.called, asked.everywhere);
  const facts = text === undefined ? undefined : (JSON.parse(text) as Facts);
  const model = facts === undefined ? emptyModel(routines) : modelOf(facts, routines);
  if (migration !== undefined) followMigration(model, migration);
  const names = new Set(sound.manifest.views.map(({ name }) => name));
  for (const name of viewNames(raw))
    if (!names.has(name) && !model.relations.has(name))
      model.relations.set(name, { kind: 'view', columns: null, kin: false });
  // What a migration would remove is in no statement's way.
  const conflicts = facts === undefined || migration !== undefined ? [] : conflictsOf(sound, facts);
  const findings = [...ofEntries, ...findingsOf(sound, model), ...conflicts];
  return { findings, asked: migration === undefined ? askedOf(sound, model, findings) : [] };
}

/** Views that what was given means to make, if not in a way that can be read. */
function viewNames({ views }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(views)) return [];
  return views.flatMap((one: { readonly name?: unknown } | null) => (typeof one?.name === 'string' ? [one.name] : []));
}
