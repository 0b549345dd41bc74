import { useState } from 'react';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { TextArea } from '../../design/text-area.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { SetSecretDocument } from './secrets.graphql.ts';

interface SetSecretProps {
  readonly project: string;
  /** The secret that is replaced; undefined for a new one. */
  readonly replaced: string | undefined;
  /** Keys that are taken: setting one of them replaces its value. */
  readonly taken: readonly string[];
  readonly close: () => void;
}

/** The dialog that sets a secret. The value is gone from the page with the dialog: nobody is shown it again. */
export function SetSecret({ project, replaced, taken, close }: SetSecretProps) {
  const set = useChange(SetSecretDocument);
  const [typed, setTyped] = useState('');
  const [value, setValue] = useState('');
  const key = replaced ?? typed.trim();
  const replaces = replaced !== undefined || taken.includes(key);
  return (
    <Modal title={replaced === undefined ? 'Set a secret' : `Replace ${replaced}`} isOpen close={close} kind="alert">
      <Form
        label="Secret"
        submit={replaces ? 'Replace value' : 'Set secret'}
        cancel={close}
        error={set.error}
        labels={{ key: 'Key', value: 'Value' }}
        send={async () => {
          if ((await set.run({ project, key, value })) === undefined) return false;
          announce(replaces ? `${key} has a new value.` : `${key} is set.`);
          close();
          return true;
        }}
      >
        {replaced === undefined && (
          <TextField
            label="Key"
            hint={
              replaces
                ? 'There is such a secret: its value is replaced.'
                : 'Capital letters, digits and underscores. Keys that begin with SVC_ are the platform’s own.'
            }
            value={typed}
            onChange={(text) => setTyped(text.toUpperCase().replaceAll(/[\s-]/g, '_'))}
            placeholder="STRIPE_KEY"
            isRequired
            autoFocus
            maxLength={128}
            autoComplete="off"
            spellCheck="false"
          />
        )}
        <TextArea
          label="Value"
          hint="At most 4,096 bytes. It is stored encrypted, and shown to nobody again."
          value={value}
          onChange={setValue}
          mono
          isRequired
          autoFocus={replaced !== undefined}
          autoComplete="off"
          spellCheck="false"
        />
      </Form>
    </Modal>
  );
}
