import { useAsk } from '../graph/use-live-query.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Page } from '../parts/page.tsx';
import { may, mayAround } from '../session/may.ts';
import { NamedRoomDocument } from './room.graphql.ts';
import { RoomArchive } from './room-archive.tsx';
import { RoomClaims } from './room-claims.tsx';
import { RoomPeople } from './room-people.tsx';
import type { Place, RoomProps } from './room-place.ts';
import { sessionKey, usePresence } from './room-self.ts';
import { RoomTalk } from './room-talk.tsx';
import { useOrg } from './use-org.ts';

/** A room: what is said in it, who is there, and who is on what. */
export default function RoomPage({ org, room }: RoomProps) {
  const [me, setMe] = usePresence({ org, room });
  const { crumbs, role } = useOrg(org);
  const named = useAsk(NamedRoomDocument, { org, room });
  const found = named.data?.room;
  const project = found?.project;
  const writes = found != null && mayAround(role, 'room:write');
  const place: Place = { org, room, sessionKey: sessionKey(), me, setMe, writes, open: found?.archivedAt == null };
  return (
    <Page
      title={project?.name ?? room}
      crumbs={[...crumbs, ['Rooms', `/orgs/${org}/rooms`]]}
      actions={
        found != null && (
          <RoomArchive org={org} room={room} archivedAt={found.archivedAt} changes={may(role, 'room:archive')} />
        )
      }
    >
      {/* Whoever is refused the room is told so once. */}
      <ErrorNote error={named.error} retry={named.again} />
      {(found != null || named.error === undefined) && (
        <div className="room">
          <RoomTalk place={place} />
          <div className="stack">
            <RoomPeople place={place} />
            <RoomClaims place={place} />
          </div>
        </div>
      )}
    </Page>
  );
}
