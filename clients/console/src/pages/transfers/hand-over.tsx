import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { TextArea } from '../../design/text-area.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go, Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { InitiateTransferDocument } from './transfers.graphql.ts';

interface HandOverProps {
  readonly projectId: string;
  readonly name: string;
  readonly pendingTransferId: string | null;
}

/** Which input a recipient is, by how it looks. */
const recipientOf = (to: string) =>
  to.includes('@') ? { toEmail: to } : /^0x/i.test(to) ? { toWallet: to } : { toOrg: to };

/** The section of a project's settings that offers it to somebody else. */
export function HandOver({ projectId, name, pendingTransferId }: HandOverProps) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [to, setTo] = useState('');
  const [message, setMessage] = useState('');
  const [stays, setStays] = useState(false);
  const initiate = useChange(InitiateTransferDocument);
  const close = () => setDialog('', { replace: true });
  const isMail = to.includes('@');
  return (
    <Section
      title="Hand over"
      about="Somebody else gets it, with its data, its releases, its hosts and its secrets. Signers and the lease stay here."
      actions={
        pendingTransferId === null && (
          <Button onPress={() => setDialog('hand-over', { replace: true })}>Hand over</Button>
        )
      }
    >
      {pendingTransferId !== null && (
        <p>
          It is offered to somebody. Until that is over, nothing is changed that is handed over with it.{' '}
          <Link to={`/transfers/${pendingTransferId}`}>See the offer</Link>
        </p>
      )}
      <Modal title={`Hand ${name} over`} isOpen={dialog === 'hand-over'} close={close} kind="alert">
        <Form
          label="Offer of the project"
          submit="Offer"
          cancel={close}
          error={initiate.error}
          labels={{ to_wallet: 'Recipient', to_email: 'Recipient', to_org_id: 'Recipient', message: 'Message' }}
          send={async () => {
            const answer = await initiate.run({
              project: projectId,
              ...recipientOf(to.trim()),
              ...(message.trim() === '' ? {} : { message: message.trim() }),
              ...(isMail && stays ? { retainCollaboratorRole: 'developer' } : {}),
            });
            const transfer = answer?.initiateProjectTransfer?.transfer;
            if (transfer === undefined) return false;
            announce(transfer.status === 'ACCEPTED' ? 'The project was handed over.' : 'The project is offered.');
            go(transfer.status === 'ACCEPTED' ? `/projects/${projectId}` : `/transfers/${transfer.transferId}`);
            return true;
          }}
        >
          <TextField
            label="Recipient"
            hint="A wallet or a mail address, which has 72 hours to accept; or the id of another organization of yours, at once."
            value={to}
            onChange={setTo}
            isRequired
            autoFocus
            autoComplete="off"
            spellCheck="false"
          />
          <TextArea label="Message" value={message} onChange={setMessage} most={1_000} />
          {isMail && (
            <Checkbox isSelected={stays} onChange={setStays}>
              Ask to stay as a developer
            </Checkbox>
          )}
        </Form>
      </Modal>
    </Section>
  );
}
