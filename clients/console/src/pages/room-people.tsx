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
import { FollowPresencesDocument, JoinDocument, LeaveRoomDocument, PeopleDocument } from './room.graphql.ts';
import type { Place } from './room-place.ts';
import { wantedName, wantName } from './room-self.ts';

/** Nobody is told that time has passed, so who fell silent is found by asking, in milliseconds. */
const askEveryMs = 60_000;

/** Who is in a room, as they come and go. */
export function RoomPeople({ place: { org, room, sessionKey, me, setMe, writes } }: { readonly place: Place }) {
  const pages = usePages();
  const answer = useLiveQuery(PeopleDocument, { org, room, after: pages.after }, FollowPresencesDocument, {
    following: { org, room },
    from: (data) => data.room?.presences.cursor,
    everyMs: askEveryMs,
  });
  useStandingPage(pages, answer.error);
  const join = useChange(JoinDocument);
  const leave = useChange(LeaveRoomDocument);
  return (
    <Card title="Who is here">
      <Loaded answer={answer}>
        {({ room: found }) => {
          const live = found?.presences.edges.filter(({ node }) => node.state === 'ACTIVE') ?? [];
          return (
            <>
              {live.length === 0 ? (
                <Empty title={pages.after === undefined ? 'The room is empty' : 'The page is empty'} />
              ) : (
                <ul className="list" aria-label="Who is here">
                  {live.map(({ node }) => (
                    <li key={node.id} className="line">
                      <span className="grows">
                        {node.name}
                        {node.name === me?.name && <span className="quiet"> (you)</span>}
                      </span>
                      {node.program !== null && <span className="small quiet">{node.program}</span>}
                      {node.activeClaims > 0 && (
                        <Tag
                          value={node.activeClaims === 1 ? '1 claim' : `${node.activeClaims} claims`}
                          mood="accent"
                        />
                      )}
                      {node.task !== null && <span className="small quiet">{node.task}</span>}
                    </li>
                  ))}
                </ul>
              )}
              <MorePages pages={pages} info={found?.presences.pageInfo} list="who is here" />
            </>
          );
        }}
      </Loaded>
      {me === undefined ? (
        writes && (
          <Form
            label="Join the room"
            className="row"
            send={async (values) => {
              const requestedName = textOf(values, 'name');
              wantName(requestedName);
              const answered = await join.run({ org, room, sessionKey, requestedName, program: 'console' });
              if (answered?.joinRoom != null) setMe(answered.joinRoom);
              return false;
            }}
          >
            <Field label="Your name here" hint="A name that is taken gets a number.">
              <input name="name" defaultValue={wantedName()} required maxLength={64} />
            </Field>
            <button type="submit" disabled={join.busy}>
              Join
            </button>
          </Form>
        )
      ) : (
        <div>
          <button
            type="button"
            className="slim"
            disabled={leave.busy}
            onClick={() =>
              void leave
                .run({ org, room, presence: me.presenceId })
                .then((left) => left !== undefined && setMe(undefined))
            }
          >
            Leave the room
          </button>
        </div>
      )}
      <ErrorNote error={join.error ?? leave.error} />
    </Card>
  );
}
