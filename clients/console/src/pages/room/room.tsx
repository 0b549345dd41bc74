import { Lock, PanelRight } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import './room.css';
import './messages.css';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { may, mayAround } from '../../session/may.ts';
import { useOrg } from '../use-org.ts';
import { ArchivedNote, RoomMenu } from './archive.tsx';
import { Claims } from './claims.tsx';
import { useOutbox } from './pending.ts';
import { People } from './people.tsx';
import type { Place, RoomProps } from './place.ts';
import { NamedRoomDocument } from './room.graphql.ts';
import { sessionKey, usePresence } from './self.ts';
import { Talk } from './talk.tsx';
import { Thread } from './thread.tsx';
import { useRoomHeight } from './use-room-height.ts';

/** From this width on, the side bar stands beside the messages. */
const wide = '(min-width: 64rem)';

/** A room: its messages, who is there, and what they work on. */
export default function RoomPage({ org, room }: RoomProps) {
  const [me, setMe] = usePresence({ org, room });
  const { crumbs, role } = useOrg(org);
  const named = useAsk(NamedRoomDocument, { org, room });
  const [side, setSide] = useSearch('side', '');
  const [, setMessage] = useSearch('message', '');
  const found = named.data?.room;
  const isArchived = found?.archivedAt != null;
  const writes = found != null && mayAround(role, 'room:write');
  const archives = may(role, 'room:archive');
  const place: Place = { org, room, sessionKey: sessionKey(), me, setMe, writes, open: !isArchived };
  const hadRoom = useRef(false);
  hadRoom.current ||= found != null;
  const isShown = side === 'shown' || (side === '' && matchMedia(wide).matches);
  return (
    <Page
      title={found?.project?.name ?? room}
      crumbs={[...crumbs, ['Rooms', `/orgs/${org}/rooms`]]}
      wide
      actions={
        found != null && (
          <>
            {isArchived && <Badge>archived</Badge>}
            <Tooltip text={isShown ? 'Hide people and claims' : 'Show people and claims'}>
              <IconButton
                icon={PanelRight}
                label="People and claims"
                aria-expanded={isShown}
                onPress={() => setSide(isShown ? 'hidden' : 'shown', { replace: true })}
              />
            </Tooltip>
            <RoomMenu
              org={org}
              room={room}
              isArchived={isArchived}
              archives={archives}
              toFirst={() => setMessage('first')}
            />
          </>
        )
      }
    >
      {/* A caller who is refused the room is told so once. */}
      {hadRoom.current && named.error?.code === 'NOT_AUTHORIZED' ? (
        <State
          icon={Lock}
          title="You may no longer read this room"
          action={<Button onPress={named.again}>Try again</Button>}
        >
          An owner of the organization can give you the right again. Your draft is kept in this tab.
        </State>
      ) : (
        <ErrorNote error={named.error} retry={named.again} />
      )}
      {(named.error === undefined || found != null) && (
        <Body
          place={place}
          refused={named.again}
          side={side}
          archived={<ArchivedNote org={org} room={room} archivedAt={found?.archivedAt ?? null} archives={archives} />}
        />
      )}
    </Page>
  );
}

interface BodyProps {
  readonly place: Place;
  /** `shown`, `hidden`, or nothing: as the width of the window has it. */
  readonly side: string;
  readonly archived: ReactNode;
  /** Called when the gateway no longer lets the caller read the messages. */
  readonly refused: () => void;
}

function Body({ place, side, archived, refused }: BodyProps) {
  const outbox = useOutbox(place);
  const [thread, setThread] = useSearch('thread', '');
  const fit = useRoomHeight();
  return (
    <div ref={fit} className="room" data-side={thread === '' ? side : 'shown'}>
      <Talk
        place={place}
        outbox={outbox}
        thread={undefined}
        openThread={setThread}
        archived={archived}
        refused={refused}
      />
      {thread === '' ? (
        <aside className="room-side" aria-label="People and claims">
          <People place={place} />
          <Claims place={place} />
        </aside>
      ) : (
        <Thread place={place} outbox={outbox} thread={thread} refused={refused} close={() => setThread('')} />
      )}
    </div>
  );
}
