import { createHash } from 'node:crypto';
import { ThreadEndedError } from '../../core/threads.ts';
import { factsSql } from '../../engines/expose/facts.ts';
import type { Manifest } from '../../engines/expose/manifest-shape.ts';
import type { Services } from '../../kernel/run/context.ts';
import { once, schemaTooLarge } from './shared/in-project.ts';
import { readingSql } from './shared/reading-sql.ts';

/** The most that is read of what a database holds, in bytes. */
const factsMax = 16 * 1024 * 1024;
/** More than a manifest can have that was applied: it came in a body of half as many bytes. */
const storedMax = 2 * 1024 * 1024;

/** What the database holds. */
export const readFacts = once(
  `select case when octet_length(facts) <= ${factsMax} then facts end from (${factsSql}) as read (facts)`,
);

/** @param rows of {@link readFacts} @throws SQL_ERROR for more than is read */
export function factsOf(rows: readonly (readonly (string | null)[])[] | undefined): string {
  const facts = rows?.[0]?.[0] ?? null;
  if (facts === null) throw schemaTooLarge(factsMax);
  return facts;
}

/** The manifest that was applied last. */
export const readApplied = once(
  `select stored from (select manifest::text from _svc.manifest) as read (stored) where octet_length(stored) <= ${storedMax}`,
);

/**
 * The tenant's own SQL can write there, so what is no manifest counts as none.
 *
 * @param rows of {@link readApplied}
 */
export async function appliedOf(
  { sqlReader }: Pick<Services, 'sqlReader'>,
  party: string,
  rows: readonly (readonly (string | null)[])[] | undefined,
): Promise<Manifest | undefined> {
  const text = rows?.[0]?.[0];
  if (typeof text !== 'string') return undefined;
  return readingSql(() =>
    sqlReader.read(party, 'readStored', text).catch((error: unknown) => {
      if (error instanceof ThreadEndedError) return undefined;
      throw error;
    }),
  );
}

/** Names what is applied, so that a change can say which manifest it was made from. @param manifest undefined for none */
export const revisionOf = (manifest: Manifest | undefined): string =>
  manifest === undefined ? 'none' : createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 32);

export const storeManifest = (manifest: Manifest) =>
  once(
    `insert into _svc.manifest (manifest) values ($1::jsonb)
    on conflict (one) do update set manifest = excluded.manifest, applied_at = now()
      where manifest.manifest <> excluded.manifest`,
    [JSON.stringify(manifest)],
  );
