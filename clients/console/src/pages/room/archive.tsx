import { Archive, ArchiveRestore, Ellipsis, History } from 'lucide-react';
import { Button, IconButton } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Menu } from '../../design/menu.tsx';
import type { MenuEntry } from '../../design/menu-entries.tsx';
import { announceFailure } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import type { RoomProps } from './place.ts';
import { ArchiveRoomDocument, UnarchiveRoomDocument } from './room.graphql.ts';

interface RoomMenuProps extends RoomProps {
  readonly isArchived: boolean;
  /** Whether the caller may archive and unarchive the room. */
  readonly archives: boolean;
  /** Shows the first message of the room. */
  readonly toFirst: () => void;
}

/** Actions on the room as a whole. */
export function RoomMenu({ org, room, isArchived, archives, toFirst }: RoomMenuProps) {
  const archive = useChange(ArchiveRoomDocument);
  const run = async () => {
    if ((await archive.run({ org, room })) === undefined)
      announceFailure('The room was not archived.', 'The gateway refused it.');
  };
  const entries: MenuEntry[] = [{ id: 'first', name: 'Go to the first message', icon: History, act: toFirst }];
  if (archives && !isArchived) entries.push({ id: 'archive', name: 'Archive', icon: Archive, act: () => void run() });
  return (
    <Menu label="Room" groups={[{ entries }]}>
      <IconButton icon={Ellipsis} label="More" isPending={archive.busy} />
    </Menu>
  );
}

interface ArchivedNoteProps extends RoomProps {
  readonly archivedAt: string | null;
  readonly archives: boolean;
}

/** In place of the composer of an archived room. */
export function ArchivedNote({ org, room, archivedAt, archives }: ArchivedNoteProps) {
  const unarchive = useChange(UnarchiveRoomDocument);
  return (
    <div className="archived">
      <Archive className="icon" aria-hidden="true" />
      <p>
        The room was archived <When at={archivedAt} />. It takes no messages and no claims.
      </p>
      {archives && (
        <Button
          small
          icon={ArchiveRestore}
          isPending={unarchive.busy}
          onPress={() => void unarchive.run({ org, room })}
        >
          Unarchive
        </Button>
      )}
      <ErrorNote error={unarchive.error} />
    </div>
  );
}
