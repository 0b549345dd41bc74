import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { type Envelope, envelopeOf } from './envelope.ts';
import { useFeed } from './use-feed.ts';

/** The last rows of a feed, oldest first, and the rows that arrived since. */
export interface Tail<Row> {
  /** Undefined until the first page has loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Envelope | undefined;
  /** Loads earlier rows; undefined when there are none. */
  readonly earlier: (() => void) | undefined;
  /** Whether older rows were removed to make room for new ones. */
  readonly dropped: boolean;
  readonly change: (change: (row: Row) => Row) => void;
  readonly again: () => void;
}

/** A row with its cursor. */
interface Placed<Row> {
  readonly cursor: string;
  readonly node: Row;
}

/**
 * How many rows a page keeps, besides those that its reader loaded by scrolling back. A page may stay open for days.
 */
export const rowsKept = 200;

/** A page of a feed, in the form of a GraphQL connection. */
export interface TailPage<Row> {
  readonly cursor: string;
  readonly edges: readonly Placed<Row>[];
  readonly pageInfo: { readonly hasPreviousPage: boolean; readonly startCursor: string | null };
}

interface TailOptions<Row, Variables extends object, Asked, Told> {
  /** Variables of the query; a change of them starts again. */
  readonly variables: Variables;
  readonly query: TypedDocumentNode<Asked, Variables & { before?: string | null | undefined }>;
  /** Returns undefined when the parent does not exist or the caller may not see it. */
  readonly page: (asked: Asked) => TailPage<Row> | null | undefined;
  readonly feed: TypedDocumentNode<Told, Variables & { after?: string | null | undefined }>;
  readonly event: (told: Told) => Placed<Row> & { readonly reset: boolean };
  /** Whether new rows are shown as they come. @default true */
  readonly follows?: boolean;
}

interface State<Row> {
  readonly of: string;
  readonly rows: readonly Placed<Row>[];
  /** How many rows are kept when more arrive. */
  readonly keeps: number;
  /** Whether earlier rows are loading. No row is removed meanwhile: the loaded page has to meet the first row. */
  readonly readsBack: boolean;
  readonly dropped: boolean;
  /** The cursor at which the subscription starts. */
  readonly cursor: string;
  readonly before: string | undefined;
}

/** Loads the last page of a feed and follows it, without a gap or a repeat between the two. */
export function useTail<Row, Variables extends object, Asked, Told>(
  options: TailOptions<Row, Variables, Asked, Told>,
): Tail<Row> {
  const { variables, query, page, feed, event, follows = true } = options;
  const client = useClient();
  const [state, setState] = useState<State<Row>>();
  const [failed, setFailed] = useState<Envelope>();
  const [attempt, setAttempt] = useState(0);
  const of = `${JSON.stringify(variables)} ${follows} ${attempt}`;
  const current = state?.of === of ? state : undefined;

  const read = async (before?: string) => {
    const asked = await client.query(query, { ...variables, before }, { requestPolicy: 'network-only' }).toPromise();
    if (asked.error !== undefined) throw asked.error;
    return asked.data === undefined || asked.data === null ? undefined : (page(asked.data) ?? undefined);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` says all that is read.
  useEffect(() => {
    let over = false;
    setFailed(undefined);
    read().then(
      (found) => {
        if (over || found === undefined) return;
        const { edges: rows, cursor } = found;
        setState({ of, rows, cursor, before: beforeOf(found), keeps: rowsKept, readsBack: false, dropped: false });
      },
      (error) => over || setFailed(envelopeOf(error)),
    );
    return () => {
      over = true;
    };
  }, [of]);

  const ended = useFeed(
    feed,
    current === undefined || !follows ? undefined : { ...variables, after: current.cursor },
    (told) => {
      const { reset, ...row } = event(told);
      setState((now) => now && arrived(reset ? { ...now, rows: [], before: undefined } : now, row));
    },
  );

  const earlier = async (before: string) => {
    const readsBack = (is: boolean) => setState((now) => (now?.of === of ? { ...now, readsBack: is } : now));
    readsBack(true);
    try {
      const found = await read(before);
      if (found === undefined) return;
      // Ignores a second answer, and one for a list that is no longer shown.
      setState((now) => (now?.of === of && now.before === before ? withEarlier(now, found) : now));
    } catch (error) {
      setFailed(envelopeOf(error));
    } finally {
      readsBack(false);
    }
  };
  const before = current?.before;
  return {
    rows: current?.rows.map(({ node }) => node),
    error: failed ?? ended,
    earlier: before === undefined ? undefined : () => void earlier(before),
    dropped: current?.dropped === true,
    change: (change) =>
      setState((now) => now && { ...now, rows: now.rows.map((row) => ({ ...row, node: change(row.node) })) }),
    again: () => setAttempt((tried) => tried + 1),
  };
}

const beforeOf = ({ pageInfo }: TailPage<unknown>) =>
  pageInfo.hasPreviousPage ? (pageInfo.startCursor ?? undefined) : undefined;

/** Adds a new row and removes the oldest ones, which can be loaded again. */
function arrived<Row>(now: State<Row>, row: Placed<Row>): State<Row> {
  const rows = [...now.rows, row];
  if (now.readsBack || rows.length <= now.keeps) return { ...now, rows };
  const kept = rows.slice(-now.keeps);
  return { ...now, rows: kept, before: kept[0]!.cursor, dropped: true };
}

/** Rows that the reader loaded by scrolling back are kept. */
function withEarlier<Row>(now: State<Row>, found: TailPage<Row>): State<Row> {
  const rows = [...found.edges, ...now.rows];
  return { ...now, rows, before: beforeOf(found), keeps: Math.max(rowsKept, rows.length), dropped: false };
}
