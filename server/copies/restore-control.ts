import type pg from 'pg';
import { restoredFact as fact } from '../../db/feed-epoch.ts';
import type { SavedDatabase } from '../../engines/copies/archive.ts';
import type { ContentStore } from '../../engines/copies/content-store.ts';
import { statementsForAnyServer } from '../../engines/copies/definitions.ts';
import { fillViews, loadRows, loadSequences, verifyContents } from '../../engines/copies/load-rows.ts';
import { plainClient } from '../../engines/copies/snapshot.ts';
import type { Report } from './report.ts';
import { RestoreError } from './restore-error.ts';

/** What a control database is to a restore: empty, filled by a restore of a run, or in use. */
export type ControlState = 'empty' | 'used' | { readonly run: string; readonly finished: boolean };

/** Looks at the control database that is to be filled. */
export async function controlState(url: string): Promise<ControlState> {
  const client = await plainClient(url);
  try {
    const { rowCount } = await client.query(`select from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' limit 1`);
    if (rowCount === 0) return 'empty';
    const found = await client.query<{ there: boolean }>(
      "select pg_catalog.to_regclass('public.platform_facts') is not null as there",
    );
    if (found.rows[0]?.there !== true) return 'used';
    const { rows } = await client.query<{ run: string; finished: boolean }>(
      `select value->>'run' as run, (value->>'finished') is not null as finished from public.platform_facts where key = $1`,
      [fact],
    );
    return rows[0] ?? 'used';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Changes that belong to a restore. The workers of that time are gone, so no job is held. An organization that was about to be
 * purged has its last days again: it cannot have renewed a lease while its gateway was away.
 */
const adjustments: readonly string[] = [
  'update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_at is not null',
  'update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_at is not null',
  "update public.orgs set lifecycle_entered_at = now() where lifecycle_state = 'dormant'",
];

export interface RestoreControlOptions {
  readonly url: string;
  readonly run: string;
  readonly saved: SavedDatabase;
  readonly store: ContentStore;
  readonly report: Report;
  /** Comes after everything is loaded and verified, and before the commit. */
  readonly beforeCommit: () => Promise<void>;
}

/** Fills the control database in one transaction: until its commit there is nothing, and then everything. */
export async function restoreControl(options: RestoreControlOptions): Promise<void> {
  const { url, run, saved, store, report, beforeCommit } = options;
  const client = await plainClient(url);
  try {
    await client.query("set maintenance_work_mem = '256MB'");
    await client.query('begin');
    for (const statement of statementsForAnyServer(await store.readText(saved.before))) await client.query(statement);
    await loadRows(client, saved.tables, store, (bytes) => report.done(bytes));
    await loadSequences(client, saved.sequences);
    for (const statement of statementsForAnyServer(await store.readText(saved.after))) await client.query(statement);
    const unfilled = await fillViews(client, saved.filled);
    if (unfilled.length > 0)
      throw new RestoreError(`A materialized view of the control database cannot be filled: ${unfilled[0]}.`);
    report.step('control-loaded');
    await verifyContents(client, saved);
    report.step('control-verified');
    for (const statement of adjustments) await client.query(statement);
    await client.query(
      `insert into public.platform_facts (key, value) values
        ($1, pg_catalog.jsonb_build_object('run', $2::text, 'epoch', pg_catalog.gen_random_uuid()))
        on conflict (key) do update set value = excluded.value`,
      [fact, run],
    );
    await beforeCommit();
    report.step('commit');
    await client.query('commit');
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Notes that nothing of a restore is left to do. */
export async function finishControl(url: string): Promise<void> {
  const client: pg.Client = await plainClient(url);
  try {
    await client.query(
      `update public.platform_facts set value = value || pg_catalog.jsonb_build_object('finished', now()) where key = $1`,
      [fact],
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
