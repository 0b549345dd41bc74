import type { Facts } from './facts.ts';
import type { Finding } from './finding.ts';
import { conflictsOf, findingsOf } from './findings.ts';
import { introspect } from './introspect.ts';
import { checkManifest } from './manifest.ts';
import type { Manifest } from './manifest-shape.ts';
import { modelOf } from './model.ts';
import { type ApplyPlan, planApply } from './plan-apply.ts';
import { wholly } from './sound.ts';

/** What applying a manifest comes to: a plan, unless an error was found. @param facts the answer of `factsSql` */
export function planManifest(
  manifest: Manifest,
  facts: string,
): { readonly found: readonly Finding[]; readonly plan: ApplyPlan | undefined } {
  const known = JSON.parse(facts) as Facts;
  const sound = wholly(manifest);
  const found = [...findingsOf(sound, modelOf(known)), ...conflictsOf(sound, known)];
  const isWrong = found.some(({ severity }) => severity === 'error');
  return { found, plan: isWrong ? undefined : planApply(manifest, known) };
}

/** A manifest as it is stored; undefined for what is none. */
export const readStored = (text: string): Manifest | undefined => checkManifest(JSON.parse(text)).manifest;

/** The manifest that a database behaves like. @param facts the answer of `factsSql` */
export const introspectFacts = (facts: string): Manifest => introspect(JSON.parse(facts) as Facts);
