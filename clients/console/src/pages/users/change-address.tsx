import { useState } from 'react';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import type { UserDialogProps } from './send-link.tsx';
import { UpdateUserDocument } from './users.graphql.ts';

/** Gives a user another address. */
export function ChangeAddress({ projectId, user, close }: UserDialogProps) {
  const change = useChange(UpdateUserDocument);
  const [email, setEmail] = useState(user.email);
  const [isConfirmed, setConfirmed] = useState(false);
  return (
    <Modal title="Change the address" isOpen close={() => close()} kind="alert">
      <p>The sessions of this user end, and links that were mailed to the old address stop working.</p>
      <Form
        label="Change the address"
        submit="Change address"
        cancel={() => close()}
        error={change.error}
        labels={{ email: 'New address' }}
        isDisabled={email.trim() === '' || email.trim() === user.email}
        send={async () => {
          const input = { project: projectId, userId: user.userId, email: email.trim(), emailConfirm: isConfirmed };
          if ((await change.run(input)) === undefined) return false;
          announce('The address is changed.');
          close();
          return true;
        }}
      >
        <TextField label="New address" type="email" isRequired value={email} onChange={setEmail} autoFocus />
        <Checkbox isSelected={isConfirmed} onChange={setConfirmed}>
          I know that this address belongs to the user
        </Checkbox>
      </Form>
    </Modal>
  );
}
