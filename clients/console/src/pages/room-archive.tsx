import { useChange } from '../graph/use-change.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { ArchiveRoomDocument, UnarchiveRoomDocument } from './room.graphql.ts';
import type { RoomProps } from './room-place.ts';

interface ArchiveProps extends RoomProps {
  /** Null while the room takes messages and claims. */
  readonly archivedAt: string | null;
  /** Whether the caller may archive and unarchive it. */
  readonly changes: boolean;
}

/** Whether the room is archived, and the button that changes it. */
export function RoomArchive({ org, room, archivedAt, changes }: ArchiveProps) {
  const archive = useChange(ArchiveRoomDocument);
  const unarchive = useChange(UnarchiveRoomDocument);
  const change = archivedAt === null ? archive : unarchive;
  return (
    <>
      {archivedAt !== null && (
        <span className="line small">
          <Tag value="ARCHIVED" /> <When at={archivedAt} />
        </span>
      )}
      {changes && (
        <button type="button" disabled={change.busy} onClick={() => void change.run({ org, room })}>
          {archivedAt === null ? 'Archive' : 'Unarchive'}
        </button>
      )}
      <ErrorNote error={change.error} />
    </>
  );
}
