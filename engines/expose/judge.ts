import type { Finding } from './finding.ts';
import { findingsOf } from './findings.ts';
import { checkManifest } from './manifest.ts';
import { followMigration } from './migration.ts';
import type { Model } from './model.ts';

/** What is wrong with a manifest in front of a model, once a migration has been run on it. Changes the model. */
export function judgeManifest(
  raw: Readonly<Record<string, unknown>>,
  model: Model,
  migration: string | undefined,
): readonly Finding[] {
  const { manifest, findings } = checkManifest(raw);
  if (manifest === undefined) return findings;
  if (migration !== undefined) followMigration(model, migration);
  return findingsOf(manifest, model);
}
