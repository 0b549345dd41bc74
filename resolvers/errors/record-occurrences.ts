import { setImmediate } from 'node:timers/promises';
import { sql } from '../../db/drizzle.ts';
import { momentText } from '../../db/moment-text.ts';
import { errorCounts, errorFingerprints } from '../../db/schema/errors.ts';
import { computed, excluded, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { type FailureReport, type Fingerprint, fingerprintOf } from '../../engines/fingerprints/fingerprint.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { noteReleases } from './known-releases.ts';
import { makeRoom } from './make-room.ts';
import { observeNew } from './observe-new.ts';
import { countedSince } from './occurrence-counts.ts';
import type { FingerprintKey, ReportedProject } from './reported.ts';

/** One failure of a function, as the runtime knows it. Failures that the platform caused are none. Contract 02, section 4.4. */
export interface Occurrence extends FailureReport {
  /** Of the request, the run or the attempt, by which the logs know it. */
  readonly sampleId: string;
  /** Null outside any release. */
  readonly releaseId: string | null;
  /** @default now */
  readonly at?: Date | undefined;
}

/** A row that occurrences were added to. */
export interface RecordedRow extends FingerprintKey {
  /** Whether there was no such row before. */
  readonly inserted: boolean;
}

/** An occurrence as the database is given it. */
export type NamedOccurrence = ReturnType<typeof givenOf>;

/**
 * Tells by which identity each of some failures is known. A text made to be slow to read takes milliseconds, so this
 * is done before a transaction begins, and others have their turn in between.
 *
 * @param occurrences at most a few hundred
 */
export async function nameOccurrences(occurrences: readonly Occurrence[]): Promise<readonly NamedOccurrence[]> {
  const named: NamedOccurrence[] = [];
  for (const [ord, occurrence] of occurrences.entries()) {
    if (ord % yieldEvery === yieldEvery - 1) await setImmediate();
    named.push(givenOf(occurrence, fingerprintOf(occurrence), ord));
  }
  return named;
}

/** Occurrences that are named in one turn of the event loop. */
const yieldEvery = 8;

/**
 * Adds failures to what is known of a project. Each is counted once, however many report at the same time; the rows
 * of one call are written in one order everywhere, so that no two calls wait for each other.
 */
export async function recordOccurrences(
  work: Work,
  project: ReportedProject,
  occurrences: readonly NamedOccurrence[],
): Promise<readonly RecordedRow[]> {
  if (occurrences.length === 0) return [];
  const { orgId, projectId } = project;
  await noteReleases(
    work,
    project,
    occurrences.map((one) => one.release_id),
  );
  const rows = await work.rows(recordStatement.with({ orgId, projectId, occurrences: JSON.stringify(occurrences) }));
  const inserted = rows.filter((row) => row.inserted);
  if (inserted.length > 0) {
    // The project is locked from here on: identities that are new at the same time are new one after the other.
    await makeRoom(work, project, inserted.length);
    await observeNew(work, project, inserted);
  }
  return rows;
}

const givenOf = (occurrence: Occurrence, fingerprint: Fingerprint, ord: number) => ({
  ord,
  fingerprint_id: fingerprint.fingerprintId,
  function: occurrence.function,
  kind: occurrence.kind,
  quality: fingerprint.quality,
  error_name: fingerprint.errorName,
  message_template: fingerprint.messageTemplate,
  stable_frames: fingerprint.stableFrames,
  sample_id: occurrence.sampleId,
  release_id: occurrence.releaseId,
  at: occurrence.at?.toISOString() ?? null,
});

/** Samples that are kept beside the first. Contract 02, section 4.1. */
const recentMax = 10;
const mostRecent = sql.raw(String(recentMax));

const rowKey = pick(errorFingerprints, 'orgId', 'projectId', 'fingerprintId', 'function');
const hourKey = pick(errorCounts, 'orgId', 'projectId', 'fingerprintId', 'function', 'startsAt');

// A row is written before its hours are, so that whoever counts one holds the lock of the row that it belongs to: the
// counts add up to the row's own, and their order is nobody's to wait for.
const recordStatement = statement(
  'errors.record',
  {
    params: { ...pick(errorFingerprints, 'orgId', 'projectId'), occurrences: typed<string>('jsonb') },
    row: {
      ...pick(errorFingerprints, 'fingerprintId', 'function'),
      inserted: computed<boolean>('boolean', sql`inserted`),
    },
  },
  ({ orgId, projectId, occurrences }, row) => {
    const { count, firstSeen, firstSeenReleaseId, lastSeen, lastSeenReleaseId, recentSamples } = errorFingerprints;
    return sql`with given as (
      select o.*, seen.at as seen, jsonb_build_object('id', o.sample_id, 'release_id', o.release_id,
        'at', ${sql.raw(momentText('seen.at'))}) as sample
      from jsonb_to_recordset(${occurrences}::jsonb) as o(ord int, fingerprint_id text, function text, kind text,
        quality text, error_name text, message_template text, stable_frames jsonb, sample_id text, release_id text,
        at timestamptz),
      lateral (select date_trunc('milliseconds', least(coalesce(o.at, now()), now())) as at) seen
    ), ranked as (
      select *, row_number() over (partition by fingerprint_id, function order by seen, ord) as nth,
        row_number() over (partition by fingerprint_id, function order by seen desc, ord desc) as nth_last
      from given
    ), folded as (
      select fingerprint_id, function, max(kind) as kind, max(quality) as quality,
        max(error_name) filter (where nth = 1) as error_name,
        max(message_template) filter (where nth = 1) as message_template,
        (array_agg(stable_frames) filter (where nth = 1))[1] as stable_frames,
        count(*) as count, min(seen) as first_seen, max(seen) as last_seen,
        max(release_id) filter (where nth = 1) as first_release_id,
        max(release_id) filter (where nth_last = 1) as last_release_id,
        (array_agg(sample) filter (where nth = 1))[1] as first_sample,
        to_jsonb(array_agg(sample order by nth_last) filter (where nth_last <= ${mostRecent})) as recent
      from ranked group by fingerprint_id, function
    ), written as (
      insert into ${errorFingerprints} (${namesOf(
        errorFingerprints.orgId,
        errorFingerprints.projectId,
        errorFingerprints.fingerprintId,
        errorFingerprints.function,
        errorFingerprints.kind,
        errorFingerprints.quality,
        errorFingerprints.errorName,
        errorFingerprints.messageTemplate,
        errorFingerprints.stableFrames,
        count,
        firstSeen,
        lastSeen,
        firstSeenReleaseId,
        lastSeenReleaseId,
        errorFingerprints.firstSample,
        recentSamples,
      )})
      select ${orgId}, ${projectId}, fingerprint_id, function, kind, quality, error_name, message_template,
        stable_frames, count, first_seen, last_seen, first_release_id, last_release_id, first_sample, recent
      from folded order by fingerprint_id, function
      on conflict (${namesOf(...Object.values(rowKey))}) do update ${setOf(errorFingerprints, {
        count: sql`${count} + ${excluded(count)}`,
        firstSeen: sql`least(${firstSeen}, ${excluded(firstSeen)})`,
        firstSeenReleaseId: sql`case when ${excluded(firstSeen)} < ${firstSeen}
          then ${excluded(firstSeenReleaseId)} else ${firstSeenReleaseId} end`,
        lastSeen: sql`greatest(${lastSeen}, ${excluded(lastSeen)})`,
        lastSeenReleaseId: sql`case when ${excluded(lastSeen)} >= ${lastSeen}
          then ${excluded(lastSeenReleaseId)} else ${lastSeenReleaseId} end`,
        recentSamples: sql`(
          select jsonb_agg(s.sample order by s.sample ->> 'at' desc, s.ord) from (
            select e.sample, e.ord
            from jsonb_array_elements(${excluded(recentSamples)} || ${recentSamples}) with ordinality as e(sample, ord)
            order by e.sample ->> 'at' desc, e.ord limit ${mostRecent}) s)`,
      })}
      returning ${errorFingerprints.fingerprintId}, ${errorFingerprints.function}, xmax = 0 as inserted
    ), counted as (
      insert into ${errorCounts} (${namesOf(...Object.values(hourKey), errorCounts.count)})
      select ${orgId}::uuid, ${projectId}, fingerprint_id, function, date_trunc('hour', seen, 'UTC'), count(*)
      from given join written using (fingerprint_id, function)
      where seen >= ${countedSince} group by 3, 4, 5 order by 3, 4, 5
      on conflict (${namesOf(...Object.values(hourKey))})
        do update ${setOf(errorCounts, { count: sql`${errorCounts.count} + ${excluded(errorCounts.count)}` })}
    )
    select ${row} from written ${errorFingerprints}`;
  },
);
