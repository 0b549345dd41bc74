import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Modal } from '../../design/modal.tsx';
import { Diff } from './diff.tsx';

interface ConflictProps {
  readonly mine: string;
  readonly theirs: string;
  /** Bases the draft on the manifest that is applied now. */
  readonly keepMine: () => void;
  readonly takeTheirs: () => void;
}

/** Another manifest was applied while this one was edited. The draft stays until the user decides. */
export function Conflict({ mine, theirs, keepMine, takeTheirs }: ConflictProps) {
  const [compares, setCompares] = useState(false);
  return (
    <div className="refusal" role="alert">
      <TriangleAlert className="icon" aria-hidden="true" />
      <div>
        <p>Another manifest was applied while you edited this one. Your draft is unchanged.</p>
        <div className="access-choices">
          <Button small onPress={() => setCompares(true)}>
            Compare
          </Button>
          <Button small onPress={keepMine}>
            Keep my draft
          </Button>
          <Button small onPress={takeTheirs}>
            Discard my draft
          </Button>
        </div>
      </div>
      <Modal title="The applied manifest and your draft" isOpen={compares} close={() => setCompares(false)} kind="wide">
        <Diff before={theirs} after={mine} />
      </Modal>
    </div>
  );
}
