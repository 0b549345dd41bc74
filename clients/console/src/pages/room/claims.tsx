import { Plus, TriangleAlert } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useLiveQuery } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { ClaimDialog } from './claim-dialog.tsx';
import type { Place } from './place.ts';
import { ClaimsDocument, type ClaimsQuery, FollowClaimsDocument, ReleaseClaimDocument } from './room.graphql.ts';
import { SidePart } from './side-part.tsx';

/** No feed tells that a claim ran out, so the list is read at this interval, in milliseconds. */
const askEveryMs = 60_000;

type ClaimNode = NonNullable<ClaimsQuery['room']>['claims']['edges'][number]['node'];

/** What members and programs of a room work on, and which claims conflict. */
export function Claims({ place }: { readonly place: Place }) {
  const { org, room, me, writes, open } = place;
  const pages = usePages();
  const answer = useLiveQuery(ClaimsDocument, { org, room, after: pages.after }, FollowClaimsDocument, {
    following: { org, room },
    from: (data) => data.room?.claims.cursor,
    everyMs: askEveryMs,
  });
  useExistingPage(pages, answer.error);
  const release = useChange(ReleaseClaimDocument);
  const [dialog, setDialog] = useSearch('dialog', '');
  const claims = writes && open;
  return (
    <SidePart
      title="Claims"
      action={
        claims && (
          <Tooltip text="New claim">
            <IconButton small icon={Plus} label="New claim" onPress={() => setDialog('claim')} />
          </Tooltip>
        )
      }
    >
      <Loaded answer={answer}>
        {({ room: found }) => {
          const active = found?.claims.edges.filter(({ node }) => node.state === 'ACTIVE') ?? [];
          return (
            <>
              {active.length === 0 ? (
                <p className="small quiet">
                  {pages.after === undefined
                    ? 'No claims. A claim tells others what you work on. It blocks nothing.'
                    : 'The page is empty.'}
                </p>
              ) : (
                <ul className="claims" aria-label="Claims">
                  {active.map(({ node }) => (
                    <ClaimLine
                      key={node.id}
                      claim={node}
                      release={
                        writes && node.holder === me?.name
                          ? () => void release.run({ org, room, claim: node.claimId })
                          : undefined
                      }
                      busy={release.busy}
                    />
                  ))}
                </ul>
              )}
              <Pager pages={pages} info={found?.claims.pageInfo} list="claims" />
            </>
          );
        }}
      </Loaded>
      <ErrorNote error={release.error} />
      <ClaimDialog place={place} isOpen={dialog === 'claim' && claims} close={() => setDialog('')} />
    </SidePart>
  );
}

interface ClaimLineProps {
  readonly claim: ClaimNode;
  /** Undefined where the claim is another presence's. */
  readonly release: (() => void) | undefined;
  readonly busy: boolean;
}

function ClaimLine({ claim, release, busy }: ClaimLineProps) {
  const { resource, mode, holder, note, expiresAt, conflicts } = claim;
  return (
    <li className={conflicts.edges.length > 0 ? 'has-conflict' : undefined}>
      <p className="claim-resource">
        <code dir="auto">{resource}</code>
        {mode === 'EXCLUSIVE' && <Badge mood="accent">exclusive</Badge>}
      </p>
      <p className="small">
        <bdi>{holder}</bdi>
        {note !== null && (
          <span className="quiet">
            : <bdi>{note}</bdi>
          </span>
        )}
      </p>
      {conflicts.edges.length > 0 && (
        <p className="claim-conflict small">
          <TriangleAlert className="icon" aria-hidden="true" />
          <span>
            Conflicts with <bdi>{conflicts.edges.map(({ node: other }) => other.holder).join(', ')}</bdi>
            {conflicts.pageInfo.hasNextPage && ' and others'}
          </span>
        </p>
      )}
      <p className="claim-foot small quiet">
        <span>
          ends <When at={expiresAt} />
        </span>
        {release !== undefined && (
          <Button small variant="quiet" isPending={busy} onPress={release}>
            <span>
              Release <span className="seen-by-readers">{resource}</span>
            </span>
          </Button>
        )}
      </p>
    </li>
  );
}
