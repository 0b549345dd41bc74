import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { useClient } from 'urql';
import { type Envelope, envelopeOf } from './envelope.ts';

/**
 * Follows a feed while the component is shown. The link resumes it by cursor, so each event arrives once.
 *
 * @param variables undefined: follows no feed
 * @returns the error, when the gateway refused the subscription
 */
export function useFeed<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables | undefined,
  heard: (data: Data) => void,
): Envelope | undefined {
  const client = useClient();
  const [error, setError] = useState<Envelope>();
  const onEvent = useEffectEvent(heard);
  const key = variables === undefined ? undefined : JSON.stringify(variables);
  useEffect(() => {
    setError(undefined);
    if (key === undefined) return;
    const { unsubscribe } = client
      .subscription(document, JSON.parse(key) as Variables)
      .subscribe(({ data, error: failed }) => {
        if (failed !== undefined) setError(envelopeOf(failed));
        else if (data !== undefined && data !== null) onEvent(data);
      });
    return unsubscribe;
  }, [client, document, key]);
  return error;
}
