import { ChevronDown, Copy, Pencil, Trash2 } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce, announceFailure } from '../../design/toast.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { useSearch } from '../../search.ts';
import { Samples } from './samples.tsx';

export function OverlaySamples() {
  const [open, setOpen] = useSearch('dialog', '');
  const close = () => setOpen('');
  return (
    <>
      <Samples title="Menu">
        <Menu
          label="Actions on a row"
          groups={[
            {
              heading: 'Row',
              entries: [
                { id: 'edit', name: 'Edit', icon: Pencil, keys: 'E', act: () => announce('The row was edited.') },
                { id: 'copy', name: 'Copy', icon: Copy, about: 'as JSON', act: () => announce('The row was copied.') },
                { id: 'none', name: 'Not available', icon: Copy, isDisabled: true, act: () => {} },
              ],
            },
            {
              entries: [{ id: 'delete', name: 'Delete', icon: Trash2, isBad: true, act: () => setOpen('alert') }],
            },
          ]}
        >
          <Button>
            Actions <ChevronDown className="icon" aria-hidden="true" />
          </Button>
        </Menu>
        <Tooltip text="It says what the button does.">
          <Button>Hover or focus</Button>
        </Tooltip>
      </Samples>
      <Samples title="Dialog">
        <Button onPress={() => setOpen('dialog')}>Open a dialog</Button>
        <Button onPress={() => setOpen('alert')}>Ask a question</Button>
      </Samples>
      <Samples title="Messages in the corner">
        <Button onPress={() => announce('The project was made.', 'Its keys are on the project’s page.')}>Good</Button>
        <Button onPress={() => announceFailure('The row was not saved.', 'Somebody else changed it.')}>Bad</Button>
      </Samples>
      <Modal
        title="New project"
        isOpen={open === 'dialog'}
        close={close}
        foot={
          <>
            <Button onPress={close}>Cancel</Button>
            <Button variant="primary" onPress={close}>
              Create project
            </Button>
          </>
        }
      >
        <p>Its address holds that it is open: a reload keeps it, and the back button closes it.</p>
      </Modal>
      <Modal
        title="Delete the row?"
        kind="alert"
        isOpen={open === 'alert'}
        close={close}
        foot={
          <>
            <Button onPress={close}>Keep it</Button>
            <Button variant="danger" onPress={close}>
              Delete row
            </Button>
          </>
        }
      >
        <p>The row is gone for good.</p>
      </Modal>
    </>
  );
}
