import { useState } from 'react';
import { useAsk } from '../graph/use-live-query.ts';
import { Page } from '../parts/page.tsx';
import { PeopleDocument } from './room.graphql.ts';
import { RoomClaims } from './room-claims.tsx';
import { RoomPeople } from './room-people.tsx';
import type { Me, Place, RoomProps } from './room-place.ts';
import { sessionKey } from './room-self.ts';
import { RoomTalk } from './room-talk.tsx';
import { useOrg } from './use-org.ts';

/** A room: what is said in it, who is there, and who is on what. */
export default function RoomPage({ org, room }: RoomProps) {
  const [me, setMe] = useState<Me>();
  const { crumbs } = useOrg(org);
  const { data } = useAsk(PeopleDocument, { org, room });
  const project = data?.room?.project;
  const place: Place = { org, room, sessionKey: sessionKey(), me, setMe };
  return (
    <Page title={project?.name ?? room} crumbs={[...crumbs, ['Rooms', `/orgs/${org}/rooms`]]}>
      <div className="room">
        <RoomTalk place={place} />
        <div className="stack">
          <RoomPeople place={place} />
          <RoomClaims place={place} />
        </div>
      </div>
    </Page>
  );
}
