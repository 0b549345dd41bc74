import { useChange } from '../graph/use-change.ts';
import { useLiveQuery } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, usePages, useStandingPage } from '../parts/more-pages.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import {
  ClaimDocument,
  type ClaimMode,
  ClaimsDocument,
  FollowClaimsDocument,
  ReleaseClaimDocument,
} from './room.graphql.ts';
import type { Place } from './room-place.ts';
import { wantedName } from './room-self.ts';

/** Claims run out without a word, in milliseconds. */
const askEveryMs = 60_000;

/** What those in a room are on, and who is in whose way. */
export function RoomClaims({ place: { org, room, sessionKey, me, setMe, writes, open } }: { readonly place: Place }) {
  const pages = usePages();
  const answer = useLiveQuery(ClaimsDocument, { org, room, after: pages.after }, FollowClaimsDocument, {
    following: { org, room },
    from: (data) => data.room?.claims.cursor,
    everyMs: askEveryMs,
  });
  useStandingPage(pages, answer.error);
  const claim = useChange(ClaimDocument);
  const release = useChange(ReleaseClaimDocument);
  return (
    <Card title="Claims">
      <Loaded answer={answer}>
        {({ room: found }) => {
          const standing = found?.claims.edges.filter(({ node }) => node.state === 'ACTIVE') ?? [];
          return (
            <>
              {standing.length === 0 ? (
                <Empty title={pages.after === undefined ? 'No claims' : 'The page is empty'}>
                  A claim tells others what you work on. It blocks nothing.
                </Empty>
              ) : (
                <ul className="list" aria-label="Claims">
                  {standing.map(({ node }) => (
                    <li key={node.id} className="stack">
                      <div className="line">
                        <code className="grows">{node.resource}</code>
                        <Tag value={node.mode} mood={node.mode === 'EXCLUSIVE' ? 'accent' : 'plain'} />
                      </div>
                      <div className="line small">
                        <span className="grows">
                          {node.holder}
                          {node.note !== null && <span className="quiet">: {node.note}</span>}
                        </span>
                        <span className="quiet">
                          ends <When at={node.expiresAt} />
                        </span>
                        {node.holder === me?.name && (
                          <button
                            type="button"
                            className="slim"
                            disabled={release.busy}
                            onClick={() => void release.run({ org, room, claim: node.claimId })}
                          >
                            Release <span className="seen-by-readers">{node.resource}</span>
                          </button>
                        )}
                      </div>
                      {node.conflicts.edges.length > 0 && (
                        <p className="note warn small">
                          Conflicts with {node.conflicts.edges.map(({ node: other }) => other.holder).join(', ')}
                          {node.conflicts.pageInfo.hasNextPage && ' and others'}
                        </p>
                      )}
                    </li>
                  ))}
                </ul>
              )}
              <MorePages pages={pages} info={found?.claims.pageInfo} list="claims" />
            </>
          );
        }}
      </Loaded>
      {writes && open && (
        <Form
          label="New claim"
          className="stack"
          send={async (values) => {
            const note = textOf(values, 'note');
            const answered = await claim.run({
              org,
              room,
              sessionKey,
              requestedName: wantedName(),
              program: 'console',
              resource: textOf(values, 'resource'),
              mode: textOf(values, 'mode') as ClaimMode,
              ...(note === '' ? {} : { note }),
            });
            const made = answered?.createRoomClaim;
            // Whoever claims is there from then on.
            if (made != null) setMe({ presenceId: made.holderPresenceId, name: made.holder });
            return answered !== undefined;
          }}
        >
          <Field label="Resource" hint="For files a pattern such as repo:src/**, otherwise any words.">
            <input name="resource" required maxLength={512} />
          </Field>
          <Field label="Note">
            <input name="note" maxLength={1000} />
          </Field>
          <div className="row">
            <Field label="Mode">
              <select name="mode" defaultValue="EXCLUSIVE">
                <option value="EXCLUSIVE">exclusive</option>
                <option value="SHARED">shared</option>
              </select>
            </Field>
            <button type="submit" disabled={claim.busy}>
              Claim
            </button>
          </div>
        </Form>
      )}
      <ErrorNote error={claim.error ?? release.error} />
    </Card>
  );
}
