import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { useStore } from '../store.ts';
import { changes } from './changes.ts';
import { type Envelope, envelopeOf } from './envelope.ts';
import { useFeed } from './use-feed.ts';
import { useEvery, useSettled } from './use-settled.ts';

/** The last answer of a query. */
export interface Answer<Data> {
  readonly data: Data | undefined;
  /** There is no answer yet. */
  readonly fetching: boolean;
  readonly error: Envelope | undefined;
  readonly again: () => void;
}

/** Codes that take the data away: the caller may not see it any more, or it does not exist any more. */
const ends: readonly string[] = ['NOT_AUTHORIZED', 'RESOURCE_NOT_FOUND', 'PROJECT_NOT_FOUND'];

/** The last data of a query, for the variables that it belongs to. */
interface Kept<Data> {
  readonly of: string | undefined;
  readonly data: Data;
  /** Whether it came without an error. */
  readonly isWhole: boolean;
}

/**
 * Runs a query when the component is shown, and again after each change made from this page. When it fails, the data
 * that was shown stays beside the error, since the page holds what was typed. @param variables undefined: sends no query
 */
export function useAsk<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables | undefined,
): Answer<Data> {
  const [{ data: last, fetching, error: failed, operation }, execute] = useQuery<Data, Variables>({
    query: document,
    variables: variables as Variables,
    pause: variables === undefined,
    requestPolicy: 'cache-and-network',
  } as Parameters<typeof useQuery<Data, Variables>>[0]);
  const again = useEffectEvent(() => execute({ requestPolicy: 'network-only' }));
  const changed = useStore(changes);
  const asked = useRef(changed);
  const paused = variables === undefined;
  useEffect(() => {
    if (asked.current !== changed && !paused) again();
    asked.current = changed;
  }, [changed, paused]);
  const error = failed === undefined ? undefined : envelopeOf(failed);
  const kept = useRef<Kept<Data>>(undefined);
  // While other variables are asked with, urql still has the data of the earlier ones.
  const of = JSON.stringify(operation?.variables);
  if (error !== undefined && ends.includes(error.code)) kept.current = undefined;
  else if (last != null && (error === undefined || kept.current?.of !== of || !kept.current.isWhole))
    kept.current = { of, data: last, isWhole: error === undefined };
  // After an error urql has no data until the next answer.
  const isFresh = last != null && error === undefined;
  const known = kept.current?.of === JSON.stringify(variables) ? kept.current : undefined;
  const data = isFresh ? last : (known?.data ?? last);
  return {
    data: data ?? undefined,
    fetching: fetching && data == null,
    error,
    again: () => execute({ requestPolicy: 'network-only' }),
  };
}

/** How a query stays up to date. */
interface Liveliness<Data, Following> {
  /** Variables of the subscription, without `after`. */
  readonly following: Omit<Following, 'after'>;
  /** The cursor from which to follow. The first answer contains it, and already shows all events before it. */
  readonly from: (data: Data) => string | null | undefined;
  /** Interval at which the query runs again, in milliseconds, for data without a feed. @default never */
  readonly everyMs?: number;
}

/** A query that runs again when a feed reports a change since its first answer. */
export function useLiveQuery<Data, Variables extends object, Event, Following extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  feed: TypedDocumentNode<Event, Following>,
  { following, from, everyMs }: Liveliness<Data, Following>,
): Answer<Data> {
  const answer = useAsk(document, variables);
  const [after, setAfter] = useState<string>();
  const known = answer.data === undefined ? undefined : from(answer.data);
  if (after === undefined && known != null) setAfter(known);
  const failed = useFeed(
    feed,
    after === undefined ? undefined : ({ ...following, after } as unknown as Following),
    useSettled(answer.again),
  );
  useEvery(everyMs, answer.again);
  return { ...answer, error: answer.error ?? failed };
}
