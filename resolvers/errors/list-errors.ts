import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { alias, type Column, type SQL, sql } from '../../db/drizzle.ts';
import {
  type ErrorFingerprint,
  errorFingerprints,
  errorProjects,
  errorReleases,
  releaseActivations,
} from '../../db/schema/errors.ts';
import { allOf, computed, from, orNull, type RowOf, statement, typed } from '../../db/sql.ts';
import { occurrenceKinds } from '../../engines/fingerprints/fingerprint.ts';
import { onProject } from '../../kernel/access/access.ts';
import { moment, projectId } from '../../kernel/input/fields.ts';
import { type ListPage, listsBy, listWindow } from '../../kernel/input/list-page.ts';
import { requireTimeRange } from '../../kernel/input/time-range.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { type ErrorsFilter, filteredRows, filterParams, valuesOf } from './filtered-rows.ts';
import { invocationsIn } from './invocation-buckets.ts';
import { fingerprintsMax } from './make-room.ts';
import {
  countBuckets,
  countsToWire,
  type ErrorCounts,
  ErrorCountsWire,
  loadCounts,
  loadTotal,
} from './occurrence-counts.ts';
import { functionName } from './report-input.ts';
import { type Verdict, VerdictWire, verdictToWire } from './verdict.ts';
import { ErrorFingerprintWire, fingerprintToWire } from './wire.ts';

export interface ErrorPage extends ListPage<ErrorFingerprint> {
  readonly verdict: Verdict;
  /** What was asked, with the window and the release that it came to. */
  readonly asked: ErrorsFilter;
  /** How often all rows that the filters let through came up, and each row of the page; where that was asked for. */
  readonly counts?: { readonly total: ErrorCounts; readonly ofRows: readonly ErrorCounts[] } | undefined;
}

/** `GET /projects/v1/:id/errors`. Contract 02, section 4.2. */
export const listErrors = query({
  name: 'errors.list',
  tool: 'errors_list',
  command: 'errors',
  summary: 'Failures of a project’s functions, last seen first, with the verdict over all of them.',
  access: onProject(projectActions['project:read'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    since: moment.optional().describe('Only what was seen from then on; 24 hours before `until` unless told.'),
    until: moment.optional().describe('Only what was seen up to then; now unless told.'),
    function: functionName.optional().describe('Only of this function.'),
    kind: z.enum(occurrenceKinds).optional().describe('Only of this kind.'),
    fingerprint: z.string().min(1).max(64, 'at most 64 characters').optional().describe('Only of this identity.'),
    new_in: z
      .string()
      .min(1)
      .max(128, 'at most 128 characters')
      .optional()
      .describe('Only identities that were first seen under this release, or under the `active` one.'),
    counts: z
      .enum(countBuckets)
      .optional()
      .describe('Also how often the rows came up, by the hour or by the day of UTC: each one, and all together.'),
    ...listWindow,
  }),
  async handler({ services, org, project }, { project: _named, since, until, new_in, ...given }): Promise<ErrorPage> {
    const { function: name, kind, fingerprint, counts, ...window } = given;
    requireTimeRange({ since, until });
    // Its window is no part of a list: pages go on under the window that the first one resolved, or under a later one.
    const view = JSON.stringify([org.id, project.id, name, kind, fingerprint, new_in].map((value) => value ?? null));
    const list = errorLists.newestFirst(services.keys, `errors:${view}`);
    const position = list.positionOf(window, 'cursor');
    const nameAt = position.function && decodeURIComponent(position.function);
    const filters = { orgId: org.id, projectId: project.id, function: name, kind, fingerprint };
    const listed = list.statementOf(window, listStatements).with({
      ...valuesOf({ ...filters, since, until, newIn: new_in }),
      ...position,
      function: nameAt,
      limit: window.limit + 1,
    });
    const rows = await services.db.rows(listed);
    const { asked, ...verdict } = verdictOf(rows[0]!);
    requireTimeRange(asked);
    if (new_in !== undefined && asked.release === null) throw new ServiceError('NO_ACTIVE_RELEASE');
    if (new_in !== undefined && !asked.known)
      throw new ServiceError('RESOURCE_NOT_FOUND', { details: { release_id: new_in } });
    const found = rows.filter((row): row is typeof row & ErrorFingerprint => row.fingerprintId !== null);
    const page = list.pageOf(found, window);
    const resolved = { ...filters, since: asked.since, until: asked.until, newIn: asked.release ?? undefined };
    if (counts === undefined) return { ...page, verdict, asked: resolved };
    const span = { since: asked.since, until: asked.until, bucket: counts };
    const [total, ofRows] = await Promise.all([
      loadTotal({ services }, resolved, counts),
      loadCounts(
        { services },
        page.rows.map(({ row }) => ({ row, ...span })),
      ),
    ]);
    return { ...page, verdict, asked: resolved, counts: { total, ofRows } };
  },
  wire: z.object({
    verdict: VerdictWire,
    counts: ErrorCountsWire.optional(),
    errors: z.array(ErrorFingerprintWire.extend({ counts: ErrorCountsWire.optional() })),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  toWire: ({ verdict, counts, rows, hasMore }) => ({
    verdict: verdictToWire(verdict),
    ...(counts && { counts: countsToWire(counts.total) }),
    errors: rows.map(({ row }, at) => ({
      ...fingerprintToWire(row),
      ...(counts && { counts: countsToWire(counts.ofRows[at]!) }),
    })),
    has_more: hasMore,
    ...(hasMore ? { next_cursor: rows.at(-1)!.cursor } : {}),
  }),
});

/** What the verdict says, the same on each row of the page. */
const verdictRow = {
  askedSince: computed<Date>('timestamp with time zone', sql`verdict.asked_since`),
  askedUntil: computed<Date>('timestamp with time zone', sql`verdict.asked_until`),
  release: computed<string | null>('text', sql`verdict.release_id`),
  known: computed<boolean>('boolean', sql`verdict.known`),
  baseline: computed<string | null>('text', sql`verdict.baseline`),
  new: computed<number>('integer', sql`verdict.new`),
  recurring: computed<number>('integer', sql`verdict.recurring`),
  invocations: computed<string>('numeric', sql`verdict.invocations`),
  full: computed<number>('integer', sql`verdict.full`),
  coarse: computed<number>('integer', sql`verdict.coarse`),
  kept: computed<number>('integer', sql`verdict.kept`),
};

const verdictOf = (row: RowOf<typeof verdictRow>) => ({
  asked: { since: row.askedSince, until: row.askedUntil, release: row.release, known: row.known },
  since: row.askedSince,
  until: row.askedUntil,
  comparedReleaseId: row.release,
  baselineReleaseId: row.baseline,
  newFingerprints: row.new,
  recurringFingerprints: row.recurring,
  invocationsInWindow: Number(row.invocations),
  fullFidelityFunctions: row.full,
  coarseFunctions: row.coarse,
  rowCap: { limit: fingerprintsMax, atCap: row.kept >= fingerprintsMax },
});

const errorLists = listsBy({
  columns: ['lastSeen', 'fingerprintId', 'function'],
  first: { type: 'timestamp with time zone', below: '-infinity', above: 'infinity' },
  // A function may be called anything.
  of: (row: ErrorFingerprint) => [row.lastSeen.toISOString(), row.fingerprintId, encodeURIComponent(row.function)],
});

// The verdict is over all of the rows.
const shownRow = alias(errorFingerprints, 'r');
const latest = alias(releaseActivations, 'a');
const listStatements = errorLists.bothWays(shownRow, (way) =>
  statement(
    `errors.list-${way.name}`,
    {
      params: { ...filterParams, ...way.params, limit: typed<number>('bigint') },
      row: { ...verdictRow, ...orNull(allOf(errorFingerprints)) },
    },
    ({ limit, ...given }, row) => {
      const isOwn = ({ orgId, projectId: id }: { readonly orgId: Column; readonly projectId: Column }) =>
        sql`${orgId} = ${given.orgId} and ${id} = ${given.projectId}`;
      const functionsOf = (fidelity: SQL) => sql`(select count(*) from jsonb_each_text(${errorProjects.fidelity}) e
            where e.value = ${fidelity} and (${given.ofFunction}::text is null or e.key = ${given.ofFunction}))::int`;
      return sql`with ${filteredRows(given)}, stamped as (
      select ${latest.activatedAt}, ${latest.seq} from ${from(latest)}, asked
      where ${isOwn(latest)} and ${latest.releaseId} = asked.release_id
      order by ${latest.activatedAt} desc, ${latest.seq} desc limit 1
    ), verdict as materialized (
      select asked.since as asked_since, asked.until as asked_until, asked.release_id,
        exists (select from ${errorReleases}
          where ${isOwn(errorReleases)} and ${errorReleases.releaseId} = asked.release_id) as known,
        (select ${latest.releaseId} from ${from(latest)}, stamped s
          where ${isOwn(latest)} and (${latest.activatedAt}, ${latest.seq}) < (s.activated_at, s.seq)
            and ${latest.releaseId} <> asked.release_id
          order by ${latest.activatedAt} desc, ${latest.seq} desc limit 1) as baseline,
        (select count(distinct fingerprint_id) from rows where shown and new)::int as new,
        (select count(distinct fingerprint_id) from rows where shown and not new)::int as recurring,
        ${invocationsIn(given)} as invocations,
        coalesce(p.full, 0) as full, coalesce(p.coarse, 0) as coarse, coalesce(p.fingerprints, 0) as kept
      from asked left join lateral (
        select ${errorProjects.fingerprints}, ${functionsOf(sql`'full'`)} as full,
          ${functionsOf(sql`'coarse'`)} as coarse
        from ${errorProjects} where ${isOwn(errorProjects)}
      ) p on true
    ), page as (
      select ${shownRow.fingerprintId}, ${shownRow.function}, ${shownRow.lastSeen} from rows ${shownRow}
      where r.shown and (${given.newIn}::text is null or r.new) and ${way.beyond(given)}
      ${way.order} limit ${limit}
    )
    select ${row}
    from verdict left join (page ${shownRow} join ${errorFingerprints}
      on ${isOwn(errorFingerprints)} and ${errorFingerprints.fingerprintId} = ${shownRow.fingerprintId}
        and ${errorFingerprints.function} = ${shownRow.function}) on true
    ${way.order}`;
    },
  ),
);
