import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { useStore } from '../store.ts';
import { changes } from './changes.ts';
import { type Envelope, envelopeOf } from './envelope.ts';
import { useFeed } from './use-feed.ts';
import { useEvery, useSettled } from './use-settled.ts';

/** What a query answered last. */
export interface Answer<Data> {
  readonly data: Data | undefined;
  /** Nothing was answered yet. */
  readonly fetching: boolean;
  readonly error: Envelope | undefined;
  readonly again: () => void;
}

/** A query that is asked anew whenever the page is shown, and when something was changed from here. @param variables undefined: nothing is asked */
export function useAsk<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables | undefined,
): Answer<Data> {
  const [{ data, fetching, error }, execute] = useQuery<Data, Variables>({
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
  return {
    data: data ?? undefined,
    fetching: fetching && data === undefined,
    error: error === undefined ? undefined : envelopeOf(error),
    again: () => execute({ requestPolicy: 'network-only' }),
  };
}

/** How a query is kept up to date. */
interface Liveliness<Data, Following> {
  /** What is followed, besides from where. */
  readonly following: Omit<Following, 'after'>;
  /** From where on, as the first answer says it: what it shows already need not be told. */
  readonly from: (data: Data) => string | null | undefined;
  /** For what no feed tells, in milliseconds. @default never */
  readonly everyMs?: number;
}

/** A query that is asked anew when a feed tells that something has changed since it was answered first. */
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
