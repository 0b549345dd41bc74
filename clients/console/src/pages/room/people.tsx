import { LogIn, LogOut } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { Avatar } from '../../design/status.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useLiveQuery } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import type { Place } from './place.ts';
import {
  FollowPresencesDocument,
  JoinDocument,
  LeaveRoomDocument,
  PeopleDocument,
  type PeopleQuery,
} from './room.graphql.ts';
import { wantedName, wantName } from './self.ts';
import { SidePart } from './side-part.tsx';

/** No feed tells that a presence expired, so the list is read at this interval, in milliseconds. */
const askEveryMs = 60_000;

type Presence = NonNullable<PeopleQuery['room']>['presences']['edges'][number]['node'];

/** Who is in a room, as they come and go. */
export function People({ place }: { readonly place: Place }) {
  const { org, room, me, setMe, writes } = place;
  const pages = usePages();
  const answer = useLiveQuery(PeopleDocument, { org, room, after: pages.after }, FollowPresencesDocument, {
    following: { org, room },
    from: (data) => data.room?.presences.cursor,
    everyMs: askEveryMs,
  });
  useExistingPage(pages, answer.error);
  const leave = useChange(LeaveRoomDocument);
  const [dialog, setDialog] = useSearch('dialog', '');
  return (
    <SidePart title="Who is here">
      <Loaded answer={answer}>
        {({ room: found }) => {
          const live = found?.presences.edges.filter(({ node }) => node.state === 'ACTIVE') ?? [];
          return (
            <>
              {live.length === 0 ? (
                <p className="small quiet">{pages.after === undefined ? 'The room is empty.' : 'The page is empty.'}</p>
              ) : (
                <ul className="people" aria-label="Who is here">
                  {live.map(({ node }) => (
                    <PersonLine key={node.id} presence={node} isMe={node.name === me?.name} />
                  ))}
                </ul>
              )}
              <Pager pages={pages} info={found?.presences.pageInfo} list="who is here" />
            </>
          );
        }}
      </Loaded>
      {me === undefined
        ? writes && (
            <div>
              <Button small icon={LogIn} onPress={() => setDialog('join')}>
                Join the room
              </Button>
            </div>
          )
        : writes && (
            <div>
              <Button
                small
                variant="quiet"
                icon={LogOut}
                isPending={leave.busy}
                onPress={() =>
                  void leave
                    .run({ org, room, presence: me.presenceId })
                    .then((left) => left !== undefined && setMe(undefined))
                }
              >
                Leave the room
              </Button>
            </div>
          )}
      <ErrorNote error={leave.error} />
      <JoinDialog place={place} isOpen={dialog === 'join' && me === undefined && writes} close={() => setDialog('')} />
    </SidePart>
  );
}

function PersonLine({ presence, isMe }: { readonly presence: Presence; readonly isMe: boolean }) {
  const { name, program, activeClaims, task } = presence;
  return (
    <li>
      <Avatar name={name} />
      <div>
        <p className="people-name">
          <span className="name" dir="auto" title={name}>
            {name}
          </span>
          {isMe && <span className="quiet">(you)</span>}
          {activeClaims > 0 && <Badge mood="accent">{activeClaims === 1 ? '1 claim' : `${activeClaims} claims`}</Badge>}
        </p>
        {(program !== null || task !== null) && (
          <p className="small quiet" dir="auto">
            {[program, task].filter((part) => part !== null).join(' · ')}
          </p>
        )}
      </div>
    </li>
  );
}

interface JoinDialogProps {
  readonly place: Place;
  readonly isOpen: boolean;
  readonly close: () => void;
}

function JoinDialog({ place: { org, room, sessionKey, setMe }, isOpen, close }: JoinDialogProps) {
  const join = useChange(JoinDocument);
  return (
    <Modal title="Join the room" isOpen={isOpen} close={close} kind="alert">
      <Form
        label="Join the room"
        submit="Join"
        cancel={close}
        error={join.error}
        send={async (values) => {
          const requestedName = String(values.get('name')).trim();
          wantName(requestedName);
          const answered = await join.run({ org, room, sessionKey, requestedName, program: 'console' });
          if (answered?.joinRoom == null) return false;
          setMe(answered.joinRoom);
          close();
          return true;
        }}
      >
        <TextField
          label="Your name here"
          name="name"
          hint="A name that is taken gets a number."
          defaultValue={wantedName()}
          isRequired
          maxLength={64}
          autoFocus
        />
      </Form>
    </Modal>
  );
}
