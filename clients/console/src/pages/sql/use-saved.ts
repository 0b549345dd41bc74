import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { changes } from '../../graph/changes.ts';
import { type Envelope, envelopeOf } from '../../graph/envelope.ts';
import { useStore } from '../../store.ts';
import { SavedQueriesDocument, type SavedQueryFieldsFragment } from './sql.graphql.ts';

export type SavedQuery = SavedQueryFieldsFragment;

/** All saved queries of a project, by name. They are read again after each change of this page. */
export function useSaved(project: string) {
  const client = useClient();
  const changed = useStore(changes);
  const [queries, setQueries] = useState<readonly SavedQuery[]>();
  const [error, setError] = useState<Envelope>();
  const [asked, again] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change, and the press of a button, have it read again.
  useEffect(() => {
    let ended = false;
    const load = async () => {
      const found: SavedQuery[] = [];
      for (let after: string | undefined; ; ) {
        const variables = { project, ...(after === undefined ? {} : { after }) };
        const options = { requestPolicy: 'network-only' } as const;
        const { data, error: failed } = await client.query(SavedQueriesDocument, variables, options).toPromise();
        if (ended) return;
        const page = data?.project?.savedQueries;
        if (page == null) return setError(envelopeOf(failed));
        found.push(...page.edges.map(({ node }) => node));
        after = page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? undefined) : undefined;
        if (after === undefined) break;
      }
      setError(undefined);
      setQueries(found.sort((one, other) => one.name.localeCompare(other.name)));
    };
    void load();
    return () => {
      ended = true;
    };
  }, [client, project, changed, asked]);
  return { queries, error, again: () => again((times) => times + 1) };
}
