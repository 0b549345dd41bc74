import { type Column, sql, type Table } from '../../db/drizzle.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { computed, orNull, type RowOf, type Selection, statement, typed } from '../../db/sql.ts';
import type { Feed, FeedName } from './feeds.ts';

/** Lines that something of a project says, kept in a table by their positions. */
interface LineFeedOptions<Columns extends Selection> {
  readonly table: Table & Readonly<Record<'orgId' | 'projectId' | 'position', Column>>;
  /** Of a line: `position` and `message` are among them. */
  readonly columns: Columns;
  readonly kind: FeedName['kind'];
  readonly cursorPrefix: string;
  /** What the statement that reads them is called. */
  readonly statementName: string;
}

/** What a row takes in memory besides its text; bytes, roughly. */
const rowBytes = 512;

/** The feed of the lines of a project, in one order. */
export function lineFeed<Columns extends Selection>({
  table,
  columns,
  kind,
  cursorPrefix,
  statementName,
}: LineFeedOptions<Columns>) {
  type Line = RowOf<Columns> & { readonly position: bigint; readonly message: string };
  const { orgId, projectId, position } = table;
  const sliceStatement = statement(
    statementName,
    {
      timeoutMs: 3_000,
      params: {
        orgId: typed<string>('uuid'),
        projectId: typed<string>('text'),
        after: typed<bigint>('bigint'),
        limit: typed<number>('bigint'),
      },
      row: {
        head: feedHeads.position,
        // Lines go by age, so by position from the first.
        floor: computed<bigint>(
          'bigint',
          sql`coalesce((select min(${position}) - 1 from ${table}
            where ${orgId} = ${feedHeads.orgId} and ${projectId} = ${feedHeads.feedId}), ${feedHeads.position})`,
        ),
        ...orNull(columns),
      },
    },
    (given, row) => sql`select ${row}
      from ${feedHeads}
      left join lateral (
        select ${table}.* from ${table}
        where ${orgId} = ${given.orgId} and ${projectId} = ${given.projectId} and ${position} > ${given.after}
        order by ${position} limit ${given.limit}
      ) ${table} on true
      where ${feedHeads.orgId} = ${given.orgId} and ${feedHeads.kind} = ${sql.raw(`'${kind}'`)}
        and ${feedHeads.feedId} = ${given.projectId}
      order by ${position}`,
  );
  return (org: string, project: string): Feed<Line> => ({
    name: { orgId: org, kind, feedId: project },
    cursorPrefix,
    positionOf: (line) => line.position,
    sizeOf: ({ message }) => rowBytes + 2 * message.length,
    fetch: async (db, after, limit) => {
      const rows = await db.rows(sliceStatement.with({ orgId: org, projectId: project, after, limit }));
      return {
        head: rows[0]?.head ?? 0n,
        floor: rows[0]?.floor ?? 0n,
        rows: rows.filter(
          (row) => (row as { readonly position: bigint | null }).position !== null,
        ) as unknown as Line[],
      };
    },
  });
}
