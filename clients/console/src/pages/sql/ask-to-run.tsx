import { Button } from '../../design/button.tsx';
import { Modal } from '../../design/modal.tsx';

interface AskToRunProps {
  /** A sentence for each loss; empty: there is nothing to ask. */
  readonly losses: readonly string[];
  readonly run: () => void;
  readonly cancel: () => void;
}

/** Asks before data is deleted or overwritten. The focus is on the button that does nothing. */
export function AskToRun({ losses, run, cancel }: AskToRunProps) {
  return (
    <Modal
      title="Run SQL that deletes or overwrites data?"
      isOpen={losses.length > 0}
      close={cancel}
      kind="alert"
      foot={
        <>
          <Button autoFocus onPress={cancel}>
            Cancel
          </Button>
          <Button variant="danger" onPress={run}>
            Run it
          </Button>
        </>
      }
    >
      <ul className="sql-losses">
        {losses.map((loss) => (
          <li key={loss}>{loss}</li>
        ))}
      </ul>
      <p>This cannot be undone.</p>
    </Modal>
  );
}
