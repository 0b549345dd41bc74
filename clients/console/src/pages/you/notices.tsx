import { BellOff, Pencil } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { type Answer, useAsk } from '../../graph/use-live-query.ts';
import { Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { mayChange } from '../../session/may.ts';
import {
  NoticeContactDocument,
  type NoticeContactQuery,
  SaveNoticeContactDocument,
  SendNoticeVerificationDocument,
} from './you.graphql.ts';

type Contact = NonNullable<NoticeContactQuery['operatorContact']>;

/** The address that notices about the member's organizations go to. */
export function Notices() {
  const asked = useAsk(NoticeContactDocument, {});
  // A missing contact is not an error.
  const answer: Answer<NoticeContactQuery> =
    asked.error?.code === 'RESOURCE_NOT_FOUND'
      ? { ...asked, data: { operatorContact: null }, error: undefined }
      : asked;
  const contact = answer.data?.operatorContact ?? undefined;
  const [dialog, setDialog] = useSearch('dialog', '');
  const change = (
    <Button icon={Pencil} onPress={() => setDialog('notices')}>
      {contact?.email == null ? 'Add an address' : 'Change address'}
    </Button>
  );
  return (
    <Section
      title="Notices"
      about="Notices about your organizations, such as incidents and leases that end, go to one address."
      actions={mayChange() && contact?.email != null && change}
    >
      <Loaded answer={answer}>
        {() =>
          contact?.email == null ? (
            <State icon={BellOff} title="No address yet" action={mayChange() && change}>
              Without one, notices reach nobody on your side.
            </State>
          ) : (
            <Known contact={contact} email={contact.email} />
          )
        }
      </Loaded>
      <p>
        <Link to="/you/notices">What you are told, by what, and what was told</Link>
      </p>
      {dialog === 'notices' && mayChange() && answer.data !== undefined && (
        <ContactDialog contact={contact} close={() => setDialog('')} />
      )}
    </Section>
  );
}

function Known({ contact, email }: { readonly contact: Contact; readonly email: string }) {
  const verify = useChange(SendNoticeVerificationDocument);
  const isVerified = contact.emailVerification === 'VERIFIED';
  const again = async () => {
    if ((await verify.run({})) !== undefined) announce('The link is on its way again.');
  };
  return (
    <>
      <Facts
        facts={[
          ['Contact', <bdi key="name">{contact.name}</bdi>],
          [
            'Mail address',
            <span key="email" className="with-copy">
              <span>{email}</span>
              <Badge mood={isVerified ? 'good' : 'warn'}>{isVerified ? 'Verified' : 'Not verified yet'}</Badge>
              {!isVerified && mayChange() && (
                <Button small isPending={verify.busy} onPress={() => void again()}>
                  Send the link again
                </Button>
              )}
            </span>,
          ],
        ]}
      />
      <ErrorNote error={verify.error} />
    </>
  );
}

interface DialogProps {
  readonly contact: Contact | undefined;
  readonly close: () => void;
}

function ContactDialog({ contact, close }: DialogProps) {
  const [name, setName] = useState(contact?.name ?? '');
  const [email, setEmail] = useState(contact?.email ?? '');
  const change = useChange(SaveNoticeContactDocument);
  const send = async () => {
    const given = { name: name.trim(), email: email.trim() === '' ? null : email.trim() };
    if ((await change.run(given)) === undefined) return false;
    announce('The contact is saved.', 'A link in a mail verifies a new address.');
    close();
    return false;
  };
  return (
    <Modal kind="alert" title="Where notices go" isOpen close={close}>
      <Form
        label="Where notices go"
        submit="Save"
        variant="primary"
        cancel={close}
        isDisabled={name.trim() === ''}
        error={change.error}
        labels={{ name: 'Contact’s name', email: 'Mail address' }}
        send={send}
      >
        <TextField label="Contact’s name" value={name} onChange={setName} maxLength={64} />
        <TextField
          label="Mail address"
          hint="Empty: there are no notices."
          type="email"
          autoComplete="email"
          value={email}
          onChange={setEmail}
        />
      </Form>
    </Modal>
  );
}
