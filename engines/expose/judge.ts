import { type Asked, askedOf } from './analysed.ts';
import type { Finding } from './finding.ts';
import { findingsOf } from './findings.ts';
import { checkEntries } from './manifest.ts';
import { followMigration } from './migration.ts';
import type { Model } from './model.ts';

export interface Judgement {
  readonly findings: readonly Finding[];
  /** What only PostgreSQL can tell, of a database as it is. */
  readonly asked: readonly Asked[];
}

/** What is wrong with a manifest in front of a model, once a migration has been run on it. Changes the model. */
export function judgeManifest(
  raw: Readonly<Record<string, unknown>>,
  model: Model,
  migration: string | undefined,
): Judgement {
  const { findings: ofEntries, sound } = checkEntries(raw);
  if (migration !== undefined) followMigration(model, migration);
  const names = new Set(sound.manifest.views.map(({ name }) => name));
  for (const name of viewNames(raw))
    if (!names.has(name) && !model.relations.has(name))
      model.relations.set(name, { kind: 'view', columns: null, kin: false });
  const findings = [...ofEntries, ...findingsOf(sound, model)];
  return { findings, asked: migration === undefined ? askedOf(sound, model, findings) : [] };
}

/** Views that what was given means to make, if not in a way that can be read. */
function viewNames({ views }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(views)) return [];
  return views.flatMap((one: { readonly name?: unknown } | null) => (typeof one?.name === 'string' ? [one.name] : []));
}
