import { useState } from 'react';
import type { Envelope } from '../../graph/envelope.ts';
import { useFeed } from '../../graph/use-feed.ts';
import type { DeployEvent } from './deploy-events.ts';
import { FollowDeployDocument } from './deploys.graphql.ts';

interface Followed {
  readonly of: string;
  readonly events: readonly DeployEvent[];
}

/** Follows a deploy from its beginning: all that was told of it comes first, then what is told as it happens. */
export function useDeployEvents(
  operation: string,
  heard: () => void,
): { readonly events: readonly DeployEvent[]; readonly error: Envelope | undefined } {
  const [followed, setFollowed] = useState<Followed>({ of: operation, events: [] });
  const error = useFeed(FollowDeployDocument, { operation }, ({ deployOperation: { event, reset } }) => {
    setFollowed((now) => ({
      of: operation,
      events: [...(reset || now.of !== operation ? [] : now.events), event as unknown as DeployEvent],
    }));
    heard();
  });
  return { events: followed.of === operation ? followed.events : [], error };
}
