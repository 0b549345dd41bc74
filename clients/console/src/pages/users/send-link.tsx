import { useState } from 'react';
import { Select } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { LinkTarget } from './link-target.tsx';
import { SendUserLinkDocument, type UserRowFragment } from './users.graphql.ts';

const intents = [
  { id: 'SIGNIN', name: 'Sign in' },
  { id: 'RECOVERY', name: 'Reset the password' },
  { id: 'INVITE', name: 'Invitation' },
];

export interface UserDialogProps {
  readonly projectId: string;
  readonly user: UserRowFragment;
  /** @param gone true: there is no such user any more */
  readonly close: (gone?: boolean) => void;
}

/** Mails a user a link. */
export function SendLink({ projectId, user: { userId, email, hasPassword, emailVerifiedAt }, close }: UserDialogProps) {
  const send = useChange(SendUserLinkDocument);
  const isUnproven = hasPassword && emailVerifiedAt === null;
  const [intent, setIntent] = useState(isUnproven ? 'RECOVERY' : 'SIGNIN');
  const [redirectUrl, setRedirectUrl] = useState('');
  return (
    <Modal title="Send a link" isOpen close={() => close()} kind="alert">
      <p>
        The link goes to <bdi>{email}</bdi>. It works once, for 15 minutes.
      </p>
      <Form
        label="Send a link"
        submit="Send link"
        cancel={() => close()}
        error={send.error}
        labels={{ redirectUrl: 'Link leads to', redirect_url: 'Link leads to' }}
        send={async () => {
          const input = { project: projectId, userId, redirectUrl: redirectUrl.trim(), intent: intent as 'SIGNIN' };
          if ((await send.run(input)) === undefined) return false;
          announce(`A mail to ${email} is on its way.`);
          close();
          return true;
        }}
      >
        <Select label="Purpose" options={intents} value={intent} onChange={setIntent} />
        {isUnproven && intent === 'SIGNIN' && (
          <p className="quiet small">
            This user set a password and never confirmed the address, so a link to sign in is refused. Send a link to
            reset the password.
          </p>
        )}
        <LinkTarget projectId={projectId} value={redirectUrl} onChange={setRedirectUrl} />
      </Form>
    </Modal>
  );
}
