import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { go } from '../../router.tsx';

interface NewRoomProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly addressOf: (key: string) => string;
}

/** As the gateway takes them: a label, or the id of a project for its default room. */
const key = /^(?:prj_[a-z0-9]+|[a-z0-9][a-z0-9._-]{0,63})$/;

/** Asks for the key of a room and opens it. Its first message creates the room. */
export function NewRoom({ isOpen, close, addressOf }: NewRoomProps) {
  return (
    <Modal title="New room" isOpen={isOpen} close={close} kind="alert">
      <Form
        label="New room"
        submit="Open the room"
        cancel={close}
        send={async (values) => {
          go(addressOf(String(values.get('key')).trim()));
          return true;
        }}
      >
        <TextField
          label="Name"
          name="key"
          hint="For example standup. Your first message there creates the room."
          isRequired
          maxLength={64}
          validate={(text) =>
            key.test(text.trim())
              ? null
              : 'Use a to z, 0 to 9, dots, dashes and underscores. Begin with a letter or digit.'
          }
          autoFocus
        />
      </Form>
    </Modal>
  );
}
