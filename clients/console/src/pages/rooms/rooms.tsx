import { Hash, MessagesSquare, Plus, SearchX } from 'lucide-react';
import './rooms.css';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { SearchField, Switch } from '../../design/field.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { plainText } from '../../design/plain-text.ts';
import { Skeleton, State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useEvery } from '../../graph/use-settled.ts';
import { useSearch } from '../../search.ts';
import { mayAround } from '../../session/may.ts';
import { keptSeen } from '../room/self.ts';
import { useOrg } from '../use-org.ts';
import { NewRoom } from './new-room.tsx';
import { RoomsDocument, type RoomsQuery } from './rooms.graphql.ts';

type RoomRow = NonNullable<RoomsQuery['rooms']>['edges'][number]['node'];

/** No feed tells of all rooms, so the list is read at this interval, in milliseconds. */
const askEveryMs = 30_000;

const nameOf = (room: RoomRow): string => room.project?.name ?? room.key;

export const roomAddress = (org: string, key: string): string => `/orgs/${org}/rooms/${encodeURIComponent(key)}`;

/** The rooms of an organization. */
export default function Rooms({ org }: { readonly org: string }) {
  const { crumbs, role } = useOrg(org);
  const [search, setSearch] = useSearch('search', '');
  const [shown, setShown] = useSearch('archived', 'no');
  const [dialog, setDialog] = useSearch('dialog', '');
  const archived = shown === 'yes';
  const pages = usePages(shown);
  const answer = useAsk(RoomsDocument, { org, archived, after: pages.after });
  useEvery(askEveryMs, answer.again);
  const writes = answer.data?.rooms != null && mayAround(role, 'room:write');
  const wanted = search.trim().toLowerCase();
  const found = answer.data?.rooms?.edges.map(({ node }) => node);
  const rows = found?.filter((room) => `${nameOf(room)} ${room.key}`.toLowerCase().includes(wanted));
  const create = (
    <Button variant="primary" icon={Plus} onPress={() => setDialog('new')}>
      New room
    </Button>
  );
  return (
    <Page
      title="Rooms"
      lead="People and programs of the organization talk here, and claim what they work on."
      crumbs={crumbs}
      actions={writes && (found?.length !== 0 || archived) && create}
    >
      <Toolbar
        label="Filter"
        end={
          <Switch isSelected={archived} onChange={(is) => setShown(is ? 'yes' : 'no')}>
            Archived
          </Switch>
        }
      >
        <SearchField label="Search rooms" value={search} onChange={(text) => setSearch(text, { replace: true })} />
      </Toolbar>
      <ErrorNote error={answer.error} retry={answer.again} />
      {rows === undefined && answer.error === undefined && <Skeleton lines={6} />}
      {rows !== undefined && (
        <Table
          label="Rooms"
          columns={columnsOf(org)}
          rows={rows}
          keyOf={({ id }) => id}
          linkOf={({ key }) => roomAddress(org, key)}
          empty={
            found!.length > 0 ? (
              <State
                icon={SearchX}
                title="No room of this name"
                action={<Button onPress={() => setSearch('')}>Clear the search</Button>}
              />
            ) : archived ? (
              <State icon={MessagesSquare} title="No archived rooms" />
            ) : (
              <State icon={MessagesSquare} title="No rooms yet" action={writes && create}>
                The first message creates a room.
              </State>
            )
          }
        />
      )}
      <Pager pages={pages} info={answer.data?.rooms?.pageInfo} list="rooms" />
      <NewRoom
        isOpen={dialog === 'new' && writes}
        close={() => setDialog('')}
        addressOf={(key) => roomAddress(org, key)}
      />
    </Page>
  );
}

/** Whether the room has messages that this browser did not show; undefined: it never showed the room. */
function isUnread(org: string, { key, lastMessage }: RoomRow): boolean {
  const seen = keptSeen({ org, room: key });
  return seen !== undefined && lastMessage !== null && Date.parse(lastMessage.createdAt) > Date.parse(seen.at);
}

const columnsOf = (org: string): readonly TableColumn<RoomRow>[] => [
  {
    id: 'room',
    name: 'Room',
    cell: (room) => (
      <span className="room-name">
        <Hash className="icon" aria-hidden="true" />
        <span className="room-name-text" dir="auto" title={nameOf(room)}>
          {nameOf(room)}
        </span>
        {isUnread(org, room) && <Badge mood="accent">New</Badge>}
      </span>
    ),
  },
  {
    id: 'message',
    name: 'Last message',
    grows: true,
    cell: ({ lastMessage }) =>
      lastMessage !== null && (
        <span className="room-message">
          <bdi className="room-sender">{lastMessage.sender}</bdi>
          <span className="quiet" dir="auto">
            {plainText(lastMessage.body.slice(0, 300))}
          </span>
        </span>
      ),
  },
  {
    id: 'here',
    name: 'Here',
    cell: ({ livePresences }) => livePresences > 0 && <Badge mood="good">{livePresences} here</Badge>,
  },
  {
    id: 'activity',
    name: 'Last activity',
    align: 'end',
    cell: ({ lastActivityAt }) => <When at={lastActivityAt} />,
  },
];
