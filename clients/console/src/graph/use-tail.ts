import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { type Envelope, envelopeOf } from './envelope.ts';
import { useFeed } from './use-feed.ts';

/** The last rows of a feed, oldest first, with those that came since. */
export interface Tail<Row> {
  /** Undefined until the first page is there. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Envelope | undefined;
  /** Reads what was before; undefined at the beginning. */
  readonly earlier: (() => void) | undefined;
  readonly change: (change: (rows: readonly Row[]) => readonly Row[]) => void;
  readonly again: () => void;
}

/** A page of a feed, as connections have it. */
export interface TailPage<Row> {
  readonly cursor: string;
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly hasPreviousPage: boolean; readonly startCursor: string | null };
}

interface TailOptions<Row, Variables extends object, Asked, Told> {
  /** What is read; another one begins anew. */
  readonly variables: Variables;
  readonly query: TypedDocumentNode<Asked, Variables & { before?: string | null | undefined }>;
  /** Undefined for what there is not, or is not the caller's. */
  readonly page: (asked: Asked) => TailPage<Row> | null | undefined;
  readonly feed: TypedDocumentNode<Told, Variables & { after?: string | null | undefined }>;
  readonly event: (told: Told) => { readonly reset: boolean; readonly row: Row };
  /** Whether new rows are shown as they come. @default true */
  readonly follows?: boolean;
}

interface State<Row> {
  readonly of: string;
  readonly rows: readonly Row[];
  /** Where following begins. */
  readonly cursor: string;
  readonly before: string | undefined;
}

/** The last page of a feed, then what comes, without a gap or a repeat between the two. */
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
        const rows = found.edges.map(({ node }) => node);
        setState({ of, rows, cursor: found.cursor, before: beforeOf(found) });
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
      const { reset, row } = event(told);
      setState(
        (now) => now && { ...now, rows: reset ? [row] : [...now.rows, row], before: reset ? undefined : now.before },
      );
    },
  );

  const earlier = async (before: string) => {
    try {
      const found = await read(before);
      if (found === undefined) return;
      const rows = found.edges.map(({ node }) => node);
      // Asked twice, or the list is another by now.
      setState((now) =>
        now?.of === of && now.before === before
          ? { ...now, rows: [...rows, ...now.rows], before: beforeOf(found) }
          : now,
      );
    } catch (error) {
      setFailed(envelopeOf(error));
    }
  };
  const before = current?.before;
  return {
    rows: current?.rows,
    error: failed ?? ended,
    earlier: before === undefined ? undefined : () => void earlier(before),
    change: (change) => setState((now) => now && { ...now, rows: change(now.rows) }),
    again: () => setAttempt((tried) => tried + 1),
  };
}

const beforeOf = ({ pageInfo }: TailPage<unknown>) =>
  pageInfo.hasPreviousPage ? (pageInfo.startCursor ?? undefined) : undefined;
