import { parseExactJson } from '../../core/exact-json.ts';
import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { events, type KeptDays, type StoredEvent } from '../../db/partitioned/events.ts';
import type { Database } from '../../db/pool.ts';
import { eventFloors } from '../../db/schema/events.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { computed, from, orNull, type Parameters, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import { isTouched, type OpenIncident, openIncidents } from '../incidents/shared/open-incidents.ts';
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
  const { position = null, floor: knownFloor = null, longFloor: knownLongFloor = null } = place ?? {};
  const page = { orgId, projectId, position, knownFloor, knownLongFloor, limit };
  const rows = await db.rows(
    types !== undefined
      ? byType.with({ ...page, lanes: types, source: source ?? null })
      : all === undefined || source !== undefined
        ? lanes.with({ ...page, lanes: source === undefined ? ['app', 'platform'] : [source] })
        : all.with(page),
  );
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

/** Column by column: rows are kept by those who follow the log, with nothing beside them. */
export function eventOf(orgId: string, given: EventColumns): EventRow | undefined {
  if (given.position === null) return undefined;
  const {
    position,
    projectId,
    type,
    class: eventClass,
    source,
    payload,
    occurredAt,
    floor,
    longFloor,
  } = given as Omit<StoredEvent, 'payload'> & Floors & { readonly payload: string };
  const row = {
    orgId,
    position,
    projectId,
    type,
    class: eventClass,
    source,
    payload: payloadOf(payload),
    occurredAt,
  };
  return position < floor ? { ...row, floor, longFloor } : row;
}

export const e = alias(events, 'e');
export const h = alias(feedHeads, 'h');
export const f = alias(eventFloors, 'f');

/** Columns of an event `e` that is outer joined; its payload as it was written. */
export const eventColumns = {
  ...orNull(pick(e, 'position', 'projectId', 'type', 'class', 'source', 'occurredAt')),
  payload: computed<string | null>('text', sql`${e.payload}::text`),
};

/** A payload from its text: its numbers are the application's own. */
export const payloadOf = (text: string) => parseExactJson(text) as EventRow['payload'];

type EventColumns = RowOf<typeof eventColumns> & Floors;

/** Whether an event `e` is above its floor. What is not is gone, also while its partition is still there. */
export const standsAbove = (floor: SQL, longFloor: SQL): SQL =>
  sql`${e.position} > ${longFloor} and (${e.keptDays} = ${sql.raw(String(longestDays))} or ${e.position} > ${floor})`;

const longestDays: KeptDays = 365;

/** A head `h` is that of the log of an organization. */
export const isLog = (orgId: SQL): SQL => sql`${h.orgId} = ${orgId} and ${h.kind} = 'events' and ${h.feedId} = 'all'`;

const pageParams = {
  orgId: e.orgId,
  projectId: e.projectId,
  position: typed<bigint | null>('bigint'),
  knownFloor: typed<bigint | null>('bigint'),
  knownLongFloor: typed<bigint | null>('bigint'),
  limit: typed<number>('bigint'),
} as const;

type Given<Params extends Parameters = typeof pageParams> = { readonly [Name in keyof Params]: SQL };

/**
 * How a log stands, which is always one row. A place can be used when nothing behind it has gone since its cursor was
 * made, and the log still reaches it.
 */
const standing = ({ orgId, projectId, position, knownFloor, knownLongFloor }: Given): SQL =>
  sql`select coalesce(${h.position}, 0) as head, coalesce(${h.floor}, 0) as floor,
    coalesce(${f.position}, 0) as long_floor, ${position}::bigint is not null
      and ${position} <= coalesce(${h.position}, 0) and coalesce(${h.floor}, 0) <= greatest(${position}, ${knownFloor}::bigint)
      and coalesce(${f.position}, 0) <= greatest(${position}, ${knownLongFloor}::bigint) as usable,
    (${openIncidents}) as incidents, ${isTouched(orgId, projectId)} as degraded
  from (select ${orgId}::uuid as org_id) o
  left join ${from(h)} on ${isLog(sql`o.org_id`)}
  left join ${from(f)} on ${f.orgId} = o.org_id`;

const pageRow = {
  head: computed<bigint>('bigint', sql`s.head`),
  floor: computed<bigint>('bigint', sql`s.floor`),
  longFloor: computed<bigint>('bigint', sql`s.long_floor`),
  usable: computed<boolean>('boolean', sql`s.usable`),
  incidents: computed<readonly OpenIncident[] | null>('json', sql`s.incidents`),
  degraded: computed<boolean>('boolean', sql`s.degraded`),
  ...eventColumns,
};

interface Direction {
  readonly order: ReadingOrder;
  /** What holds for a position behind the place that was asked for. */
  readonly beyond: (position: SQL) => SQL;
}

const directions = {
  asc: { order: 'asc', beyond: (position) => sql`> case when s.usable then ${position} else 0 end` },
  desc: {
    order: 'desc',
    beyond: (position) => sql`< case when s.usable then ${position} else ${sql.raw(String(2n ** 63n - 1n))} end`,
  },
} as const satisfies Record<ReadingOrder, Direction>;

function statementsOf({ order, beyond }: Direction) {
  const inOrder = sql`order by ${e.position} ${sql.raw(order)}`;
  const plain = ({ orgId, position, limit }: Given, condition: SQL): SQL => sql`
        select * from ${from(e)} where ${e.orgId} = ${orgId} and ${condition}
          and ${e.position} ${beyond(position)} and ${standsAbove(sql`s.floor`, sql`s.long_floor`)}
        ${inOrder} limit ${limit}`;
  /** Each lane is read from its own place in an index, and the lanes are put in order. */
  const laned = (given: Given & { readonly lanes: SQL }, condition: SQL): SQL => sql`
      select e.* from unnest(${given.lanes}::text[]) as l (lane) cross join lateral (${plain(given, condition)}) e
      ${inOrder} limit ${given.limit}`;
  const statementOf = <const More extends Parameters>(
    name: string,
    more: More,
    found: (given: Given<typeof pageParams & More>) => SQL,
  ) =>
    statement(
      `events.page-${name}-${order}`,
      { params: { ...pageParams, ...more }, row: pageRow },
      (given, row) => sql`with standing as materialized (${standing(given)})
    select ${row} from standing s left join lateral (${found(given)}) e on true ${inOrder}`,
    );
  const lanes = { lanes: typed<readonly string[]>('text[]') };
  const types = { ...lanes, source: typed<string | null>('text') };
  const ofProject = (projectId: SQL): SQL => sql`${e.projectId} = ${projectId}`;
  const ofSource = sql`${e.source} = l.lane`;
  const ofType = (source: SQL): SQL => sql`${e.type} = l.lane and (${source}::text is null or ${e.source} = ${source})`;
  return {
    project: {
      all: undefined,
      lanes: statementOf('project-lanes', lanes, (given) =>
        laned(given, sql`${ofProject(given.projectId)} and ${ofSource}`),
      ),
      byType: statementOf('project-types', types, (given) =>
        laned(given, sql`${ofProject(given.projectId)} and ${ofType(given.source)}`),
      ),
    },
    org: {
      all: statementOf('org', {}, (given) => plain(given, sql`true`)),
      lanes: statementOf('org-lanes', lanes, (given) => laned(given, ofSource)),
      byType: statementOf('org-types', types, (given) => laned(given, ofType(given.source))),
    },
  };
}

const statements = { asc: statementsOf(directions.asc), desc: statementsOf(directions.desc) };
