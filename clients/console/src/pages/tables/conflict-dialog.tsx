import { Button } from '../../design/button.tsx';
import { Modal } from '../../design/modal.tsx';
import type { CellConflict } from './kept-changes.ts';

interface ConflictDialogProps {
  readonly conflict: CellConflict;
  readonly decide: (isMine: boolean) => void;
}

/** Two people changed one cell. The later one sees both values and decides. */
export function ConflictDialog({ conflict: { column, mine, theirs }, decide }: ConflictDialogProps) {
  return (
    <Modal
      title={`${column.name} was changed meanwhile`}
      kind="alert"
      isOpen
      close={() => decide(false)}
      foot={
        <>
          <Button onPress={() => decide(false)}>Keep the other value</Button>
          <Button variant="primary" onPress={() => decide(true)}>
            Use my value
          </Button>
        </>
      }
    >
      <dl className="conflict">
        <dt>The value now</dt>
        <dd>{theirs ?? 'NULL'}</dd>
        <dt>Your value</dt>
        <dd>{mine ?? 'NULL'}</dd>
      </dl>
    </Modal>
  );
}
