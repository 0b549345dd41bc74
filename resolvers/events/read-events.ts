import type { KeptDays, StoredEvent } from '../../db/partitioned/events.ts';
import type { Database, Statement } from '../../db/pool.ts';
import { type OpenIncident, openIncidentsSql, touchedSql } from '../incidents/shared/open-incidents.ts';
import type { EventPlace, EventView, Floors } from './event-view.ts';

/** An event as readers get it; those that stand where the log was thinned out know how far that had come. */
export type EventRow = Omit<StoredEvent, 'keptDays'> & Partial<Floors>;

/** Rows of a view, and how things stood at that moment. */
export interface EventSlice extends Floors {
  /** Position of the newest event of the organization. */
  readonly head: bigint;
  /** The place that was asked for could be used; else the rows are from the earliest on. */
  readonly usable: boolean;
  readonly rows: readonly EventRow[];
  /** Incidents of nobody in particular that are open. */
  readonly incidents: readonly OpenIncident[];
  /** Whether an open incident is of everybody, or touches what is viewed. */
  readonly degraded: boolean;
}

export type ReadingOrder = 'asc' | 'desc';

/**
 * Rows of a view after a place, or for `desc` before it, newest first; in one statement, so that all of it is of one
 * moment.
 *
 * @param place undefined: from the earliest on, or from the newest
 */
export async function readEvents(
  db: Database,
  view: EventView,
  place: EventPlace | undefined,
  limit: number,
  order: ReadingOrder = 'asc',
): Promise<EventSlice> {
  const { orgId, projectId, source, types } = view;
  const { all, lanes, byType } = statements[order][projectId === null ? 'org' : 'project'];
  const [statement, more] =
    types !== undefined
      ? [byType, [types, source ?? null]]
      : all === undefined || source !== undefined
        ? [lanes, [source === undefined ? ['app', 'platform'] : [source]]]
        : [all, []];
  const from = [place?.position ?? null, place?.floor ?? null, place?.longFloor ?? null];
  const rows = await db.rows<PageRow>(statement, [orgId, projectId, ...from, limit, ...more]);
  const { head, floor, longFloor, usable, incidents, degraded } = rows[0]!;
  return {
    head,
    floor,
    longFloor,
    usable,
    incidents: incidents ?? [],
    degraded: degraded || incidents !== null,
    rows: rows.flatMap((row) => eventOf(orgId, row) ?? []),
  };
}

type PageRow = Omit<EventRow, 'position'> & {
  readonly position: bigint | null;
  readonly head: bigint;
  readonly floor: bigint;
  readonly longFloor: bigint;
  readonly usable: boolean;
  readonly incidents: readonly OpenIncident[] | null;
  readonly degraded: boolean;
};

/** Column by column: rows are kept by those who follow the log, with nothing beside them. */
export function eventOf(
  orgId: string,
  { position, projectId, type, class: eventClass, source, payload, occurredAt, floor, longFloor }: EventColumns,
): EventRow | undefined {
  if (position === null) return undefined;
  const row = { orgId, position, projectId, type, class: eventClass, source, payload, occurredAt };
  return position < floor ? { ...row, floor, longFloor } : row;
}

export type EventColumns = Omit<EventRow, 'position' | 'orgId' | keyof Floors> &
  Floors & { readonly position: bigint | null };

export const eventColumns = `e.position, e.project_id as "projectId", e.type, e.class, e.source, e.payload,
  e.occurred_at as "occurredAt"`;

/** Whether an event `e` is above its floor. What is not is gone, also while its partition is still there. */
export const standsAbove = (floor: string, longFloor: string): string =>
  `e.position > ${longFloor} and (e.kept_days = ${longestDays} or e.position > ${floor})`;

const longestDays: KeptDays = 365;

/**
 * How a log stands, which is always one row. A place can be used when nothing behind it has gone since its cursor was
 * made, and the log still reaches it.
 */
const standing = `select coalesce(h.position, 0) as head, coalesce(h.floor, 0) as floor,
    coalesce(f.position, 0) as long_floor, $3::bigint is not null
      and $3 <= coalesce(h.position, 0) and coalesce(h.floor, 0) <= greatest($3, $4::bigint)
      and coalesce(f.position, 0) <= greatest($3, $5::bigint) as usable,
    (${openIncidentsSql}) as incidents, ${touchedSql('$1', '$2')} as degraded
  from (select $1::uuid as org_id) o
  left join feed_heads h on h.org_id = o.org_id and h.kind = 'events' and h.feed_id = 'all'
  left join event_floors f on f.org_id = o.org_id`;

/** Each lane is read from its own place in an index, and the lanes are put in order. */
const laned = (condition: string, direction: Direction) => `
      select e.* from unnest($7::text[]) as l (lane) cross join lateral (${plain(condition, direction)}) e
      order by e.position ${direction.order} limit $6`;

const plain = (condition: string, { beyond, order }: Direction) => `
        select * from events e where e.org_id = $1 and ${condition} and e.position ${beyond} and ${standsAbove('s.floor', 's.long_floor')}
        order by e.position ${order} limit $6`;

interface Direction {
  readonly order: ReadingOrder;
  /** What holds for a position behind the place that was asked for. */
  readonly beyond: string;
}

const directions = {
  asc: { order: 'asc', beyond: '> case when s.usable then $3 else 0 end' },
  desc: { order: 'desc', beyond: `< case when s.usable then $3 else ${2n ** 63n - 1n} end` },
} as const satisfies Record<ReadingOrder, Direction>;

function statementsOf(direction: Direction) {
  const { order } = direction;
  const statementOf = (name: string, found: string): Statement => ({
    name: `events.page-${name}-${order}`,
    text: `with standing as materialized (${standing})
    select s.head, s.floor, s.long_floor as "longFloor", s.usable, s.incidents, s.degraded, ${eventColumns}
    from standing s left join lateral (${found}) e on true order by e.position ${order}`,
  });
  const byType = 'e.type = l.lane and ($8::text is null or e.source = $8)';
  return {
    project: {
      all: undefined,
      lanes: statementOf('project-lanes', laned('e.project_id = $2 and e.source = l.lane', direction)),
      byType: statementOf('project-types', laned(`e.project_id = $2 and ${byType}`, direction)),
    },
    org: {
      all: statementOf('org', plain('true', direction)),
      lanes: statementOf('org-lanes', laned('e.source = l.lane', direction)),
      byType: statementOf('org-types', laned(byType, direction)),
    },
  };
}

const statements = { asc: statementsOf(directions.asc), desc: statementsOf(directions.desc) };
