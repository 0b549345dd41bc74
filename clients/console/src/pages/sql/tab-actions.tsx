import { Ellipsis, Plus, Save, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useChange } from '../../graph/use-change.ts';
import { DeleteQueryDocument } from './sql.graphql.ts';
import type { SavedQuery } from './use-saved.ts';

interface TabActionsProps {
  readonly project: string;
  /** The saved query of the tab; undefined for a draft. */
  readonly of: SavedQuery | undefined;
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  /** Whether the text of the query is still on its way. */
  readonly isAwaited: boolean;
  readonly mayWrite: boolean;
  readonly add: () => void;
  readonly close: () => void;
  readonly save: () => void;
  readonly saveAsNew: () => void;
  readonly rename: () => void;
  /** Puts back what is saved. */
  readonly revert: () => void;
  readonly deleted: () => void;
}

/** What may be done with the query of a tab. */
export function TabActions(props: TabActionsProps) {
  const { project, of, isChanged, isSaving, isAwaited, mayWrite } = props;
  const { add, close, save, saveAsNew, rename, revert, deleted } = props;
  const [asked, setAsked] = useState(false);
  const remove = useChange(DeleteQueryDocument);
  const confirm = async () => {
    const answer = await remove.run({ project, query: of!.queryId });
    if (answer?.deleteQuery == null) return;
    setAsked(false);
    announce(`Deleted “${of!.name}”`);
    deleted();
  };
  useCommands([
    { id: 'sql new', name: 'New query', icon: Plus, act: add },
    ...(mayWrite && !isAwaited ? [{ id: 'sql save', name: 'Save this query', icon: Save, act: save }] : []),
  ]);
  return (
    <>
      <Tooltip text="New query">
        <IconButton small icon={Plus} label="New query" onPress={add} />
      </Tooltip>
      {mayWrite && (
        <Button
          small
          icon={Save}
          isPending={isSaving}
          isDisabled={isAwaited || (of !== undefined && !isChanged)}
          onPress={save}
        >
          Save
        </Button>
      )}
      {mayWrite && of !== undefined && (
        <Menu
          label="Query"
          groups={[
            {
              entries: [
                { id: 'rename', name: 'Rename…', act: rename },
                { id: 'copy', name: 'Save as a new query…', act: saveAsNew },
                { id: 'revert', name: 'Discard my changes', isDisabled: !isChanged, act: revert },
                { id: 'delete', name: 'Delete…', isBad: true, act: () => setAsked(true) },
              ],
            },
          ]}
        >
          <IconButton small icon={Ellipsis} label="More for this query" />
        </Menu>
      )}
      <Tooltip text="Close this query">
        <IconButton small icon={X} label="Close this query" onPress={close} />
      </Tooltip>
      <Modal
        title="Delete this query?"
        isOpen={asked}
        close={() => setAsked(false)}
        kind="alert"
        foot={
          <>
            <Button autoFocus onPress={() => setAsked(false)}>
              Cancel
            </Button>
            <Button variant="danger" isPending={remove.busy} onPress={() => void confirm()}>
              Delete query
            </Button>
          </>
        }
      >
        <p>
          <bdi>{of?.name}</bdi> is deleted for everybody in the project.
        </p>
        {remove.error !== undefined && <p role="alert">{remove.error.message}</p>}
      </Modal>
    </>
  );
}
