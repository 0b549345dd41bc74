import { useState } from 'react';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import { LinkTarget } from './link-target.tsx';
import { AddUserDocument } from './users.graphql.ts';

interface AddUserProps {
  readonly projectId: string;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Makes a user, with a password or with an invitation by mail. */
export function AddUser({ projectId, isOpen, close }: AddUserProps) {
  const add = useChange(AddUserDocument);
  const draft = useDraft(`add-user ${projectId}`, {
    email: '',
    invites: true,
    isAdmin: false,
    isConfirmed: false,
    redirectUrl: '',
  });
  const { email, invites, isAdmin, isConfirmed, redirectUrl } = draft.values;
  // No draft holds a password.
  const [password, setPassword] = useState('');
  const send = async () => {
    const made = await add.run({
      project: projectId,
      email: email.trim(),
      ...(isAdmin ? { isAdmin } : {}),
      ...(invites
        ? { sendInvite: true, redirectUrl: redirectUrl.trim() }
        : { emailConfirm: isConfirmed, ...(password === '' ? {} : { password }) }),
    });
    const user = made?.createProjectUser;
    if (user == null) return false;
    announce(
      user.created ? 'The user is added.' : 'The user was here already.',
      user.inviteSent ? 'A mail is on its way.' : undefined,
    );
    setPassword('');
    close();
    return true;
  };
  return (
    <Modal title="Add user" isOpen={isOpen} close={close} kind="alert">
      <Form
        label="Add user"
        submit={invites ? 'Send invitation' : 'Add user'}
        cancel={() => {
          setPassword('');
          close();
        }}
        error={add.error}
        labels={{ email: 'Address', password: 'Password', redirectUrl: 'Link leads to', redirect_url: 'Link leads to' }}
        draft={draft}
        send={send}
      >
        <TextField
          label="Address"
          type="email"
          isRequired
          {...draft.field('email')}
          autoFocus
          placeholder="ada@example.com"
        />
        <Checkbox isSelected={invites} onChange={draft.field('invites').onChange}>
          Invite by mail
        </Checkbox>
        {invites ? (
          <LinkTarget projectId={projectId} {...draft.field('redirectUrl')} />
        ) : (
          <>
            <TextField
              label="Password"
              hint="At least 6 characters. Without a password, the user signs in by mail."
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
            />
            <Checkbox isSelected={isConfirmed} onChange={draft.field('isConfirmed').onChange}>
              I know that this address belongs to the user
            </Checkbox>
          </>
        )}
        <Checkbox isSelected={isAdmin} onChange={draft.field('isAdmin').onChange}>
          Admin of the project
        </Checkbox>
      </Form>
    </Modal>
  );
}
