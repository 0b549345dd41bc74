import type { BatchRows, BatchStatement } from '../../db/statement-batch.ts';
import { type Facts, factsSql } from '../../engines/expose/facts.ts';
import { checkManifest } from '../../engines/expose/manifest.ts';
import type { Manifest } from '../../engines/expose/manifest-shape.ts';
import { once, ownerRole } from './in-project.ts';

/** Reads as the owner, with no path to search: what is named here has its schema. */
export const asOwnReader = once("select set_config('role', $1, true), set_config('search_path', '', true)", [
  ownerRole,
]);

/** What the database holds and the manifest that was applied last, in this order. */
export const readState: readonly BatchStatement[] = [once(factsSql), once('select manifest::text from _svc.manifest')];

export interface ProjectState {
  readonly facts: Facts;
  /** Undefined: none was applied. The tenant's own SQL can write there, so what is no manifest counts as none. */
  readonly applied: Manifest | undefined;
}

/** @param rows of {@link readState} */
export function stateOf([facts, manifests]: BatchRows): ProjectState {
  const text = manifests?.[0]?.[0];
  return {
    facts: JSON.parse(facts![0]![0]!) as Facts,
    applied: typeof text === 'string' ? checkManifest(JSON.parse(text)).manifest : undefined,
  };
}

export const storeManifest = (manifest: Manifest) =>
  once(
    `insert into _svc.manifest (manifest) values ($1::jsonb)
    on conflict (one) do update set manifest = excluded.manifest, applied_at = now()
      where manifest.manifest <> excluded.manifest`,
    [JSON.stringify(manifest)],
  );
