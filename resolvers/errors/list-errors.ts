import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { type ErrorFingerprint, errorFingerprints } from '../../db/schema/errors.ts';
import { textOf } from '../../db/sql.ts';
import { occurrenceKinds } from '../../engines/fingerprints/fingerprint.ts';
import { onProject } from '../../kernel/access/access.ts';
import { moment, projectId } from '../../kernel/input/fields.ts';
import { type ListPage, listsBy, listWindow } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { type AskedErrors, askedRows, valuesOf } from './asked-rows.ts';
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
import { ErrorFingerprintWire, fingerprintColumns, fingerprintToWire } from './wire.ts';

export interface ErrorPage extends ListPage<ErrorFingerprint> {
  readonly verdict: Verdict;
  /** What was asked, with the window and the release that it came to. */
  readonly asked: AskedErrors;
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
    if (since !== undefined && until !== undefined && since > until) throw sinceAfterUntil();
    // Its window is no part of a list: pages go on under the window that the first one resolved, or under a later one.
    const view = JSON.stringify([org.id, project.id, name, kind, fingerprint, new_in].map((value) => value ?? null));
    const list = errorLists.newestFirst(services.keys, `errors:${view}`);
    const from = list.positionOf(window, 'cursor');
    const position = [from.lastSeen, from.fingerprintId, from.function && decodeURIComponent(from.function)];
    const filters = { orgId: org.id, projectId: project.id, function: name, kind, fingerprint };
    const values = [...valuesOf({ ...filters, since, until, newIn: new_in }), ...position, window.limit + 1];
    const rows = await services.db.rows<Row>(list.statementOf(window, listStatements), values);
    const { asked, ...verdict } = verdictOf(rows[0]!);
    if (asked.since > asked.until) throw sinceAfterUntil();
    if (new_in !== undefined && asked.release === null) throw new ServiceError('NO_ACTIVE_RELEASE');
    if (new_in !== undefined && !asked.known)
      throw new ServiceError('RESOURCE_NOT_FOUND', { details: { release_id: new_in } });
    const found = rows.filter((row) => row.id !== null);
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

const sinceAfterUntil = () => invalidField('since', 'must not be later than `until`');

/** A row of the page with what the verdict says, the same on each; the row's own columns are null when none is shown. */
type Row = ErrorFingerprint & {
  readonly id: string | null;
  readonly asked_since: Date;
  readonly asked_until: Date;
  readonly release_id: string | null;
  readonly known: boolean;
  readonly baseline: string | null;
  readonly new: number;
  readonly recurring: number;
  readonly invocations: bigint | string;
  readonly full: number;
  readonly coarse: number;
  readonly kept: number;
};

const verdictOf = (row: Row) => ({
  asked: { since: row.asked_since, until: row.asked_until, release: row.release_id, known: row.known },
  since: row.asked_since,
  until: row.asked_until,
  comparedReleaseId: row.release_id,
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

// The verdict is over all of the rows. $9 to $11 the position, $12 rows.
const shownRow = alias(errorFingerprints, 'r');
const listStatements = errorLists.bothWays(shownRow, (way) => ({
  name: `errors.list-${way.name}`,
  text: `with ${askedRows}, stamped as (
      select a.activated_at, a.seq from release_activations a, asked
      where a.org_id = $1 and a.project_id = $2 and a.release_id = asked.release_id
      order by a.activated_at desc, a.seq desc limit 1
    ), verdict as materialized (
      select asked.since as asked_since, asked.until as asked_until, asked.release_id,
        exists (select from error_releases r
          where r.org_id = $1 and r.project_id = $2 and r.release_id = asked.release_id) as known,
        (select a.release_id from release_activations a, stamped s
          where a.org_id = $1 and a.project_id = $2 and (a.activated_at, a.seq) < (s.activated_at, s.seq)
            and a.release_id <> asked.release_id
          order by a.activated_at desc, a.seq desc limit 1) as baseline,
        (select count(distinct fingerprint_id) from rows where shown and new)::int as new,
        (select count(distinct fingerprint_id) from rows where shown and not new)::int as recurring,
        ${invocationsIn('asked', { name: '$5' })} as invocations,
        coalesce(p.full, 0) as full, coalesce(p.coarse, 0) as coarse, coalesce(p.fingerprints, 0) as kept
      from asked left join lateral (
        select s.fingerprints,
          (select count(*) from jsonb_each_text(s.fidelity) e
            where e.value = 'full' and ($5::text is null or e.key = $5))::int as full,
          (select count(*) from jsonb_each_text(s.fidelity) e
            where e.value = 'coarse' and ($5::text is null or e.key = $5))::int as coarse
        from error_projects s where s.org_id = $1 and s.project_id = $2
      ) p on true
    ), page as (
      select r.fingerprint_id, r.function, r.last_seen from rows r
      where r.shown and ($8::text is null or r.new) and ${textOf(way.beyond({ lastSeen: sql.raw('$9'), fingerprintId: sql.raw('$10'), function: sql.raw('$11') }))}
      ${textOf(way.order)} limit $12
    )
    select verdict.*, f.fingerprint_id as id, ${fingerprintColumns}
    from verdict left join (page r join error_fingerprints f
      on f.org_id = $1 and f.project_id = $2 and f.fingerprint_id = r.fingerprint_id and f.function = r.function) on true
    ${textOf(way.order)}`,
}));
