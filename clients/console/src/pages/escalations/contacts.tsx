import { Trash2, TriangleAlert, UserPlus } from 'lucide-react';
import { Button, IconButton } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { NumberField } from '../../design/number-field.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { useDraft } from '../../use-draft.ts';
import {
  AddContactDocument,
  EscalationContactsDocument,
  type EscalationContactsQuery,
  RemoveContactDocument,
} from './escalations.graphql.ts';

interface ContactsProps {
  readonly org: string;
  /** Whether the caller may add and remove contacts. */
  readonly writes: boolean;
}

type Contact = NonNullable<EscalationContactsQuery['escalationContacts']>['edges'][number]['node'];

/** The contacts that escalations notify, from the first level up. */
export function Contacts({ org, writes }: ContactsProps) {
  const pages = usePages();
  const answer = useAsk(EscalationContactsDocument, { org, after: pages.after });
  useExistingPage(pages, answer.error);
  const [dialog, setDialog] = useSearch('dialog', '');
  const [removing, setRemoving] = useSearch('remove', '');
  const contacts = answer.data?.escalationContacts?.edges.map(({ node }) => node);
  const close = () => setRemoving('');
  return (
    <div className="escalations">
      <p className="quiet">The lowest level is notified first, and the next level when no contact answers in time.</p>
      <ErrorNote error={answer.error} retry={answer.again} />
      {contacts === undefined && answer.error === undefined && <Skeleton lines={4} />}
      {contacts !== undefined && (
        <Table
          label="Escalation contacts"
          columns={columnsOf(writes ? setRemoving : undefined)}
          rows={contacts}
          keyOf={({ contactId }) => contactId}
          empty={
            <State
              icon={UserPlus}
              title={pages.after === undefined ? 'No contacts yet' : 'The page is empty'}
              action={writes && <Button onPress={() => setDialog('contact')}>Add the first contact</Button>}
            >
              Without a contact no one is notified of an escalation.
            </State>
          }
        />
      )}
      <Pager pages={pages} info={answer.data?.escalationContacts?.pageInfo} list="contacts" />
      <NewContact org={org} isOpen={dialog === 'contact' && writes} close={() => setDialog('')} />
      <RemoveContact
        org={org}
        contact={writes ? contacts?.find(({ contactId }) => contactId === removing) : undefined}
        close={close}
      />
    </div>
  );
}

const columnsOf = (remove: ((contact: string) => void) | undefined): readonly TableColumn<Contact>[] => [
  {
    id: 'contact',
    name: 'Contact',
    grows: true,
    cell: ({ displayName, email, warnings }) => (
      <>
        <bdi>{displayName ?? email}</bdi>
        {displayName !== null && <bdi className="quiet small"> {email}</bdi>}
        {warnings.map((warning) => (
          <span key={warning} className="contact-warning small">
            <TriangleAlert className="icon" aria-hidden="true" />
            <bdi>{warning}</bdi>
          </span>
        ))}
      </>
    ),
  },
  { id: 'level', name: 'Level', align: 'end', cell: ({ level }) => level },
  ...(remove === undefined
    ? []
    : [
        {
          id: 'remove',
          name: 'Remove',
          isNameHidden: true,
          align: 'end' as const,
          cell: ({ contactId, email }: Contact) => (
            <Tooltip text="Remove">
              <IconButton small icon={Trash2} label={`Remove ${email}`} onPress={() => remove(contactId)} />
            </Tooltip>
          ),
        },
      ]),
];

interface DialogProps {
  readonly org: string;
  readonly close: () => void;
}

function NewContact({ org, isOpen, close }: DialogProps & { readonly isOpen: boolean }) {
  const add = useChange(AddContactDocument);
  const draft = useDraft(`contact ${org}`, { email: '', name: '', level: 1 });
  return (
    <Modal title="Add contact" isOpen={isOpen} close={close} kind="alert">
      <Form
        label="Add contact"
        submit="Add contact"
        cancel={close}
        error={add.error}
        labels={{ email: 'Mail address', display_name: 'Name' }}
        draft={draft}
        send={async () => {
          const { email, name, level } = draft.values;
          const displayName = name.trim();
          const answered = await add.run({
            org,
            email: email.trim(),
            level,
            ...(displayName === '' ? {} : { displayName }),
          });
          if (answered === undefined) return false;
          close();
          return true;
        }}
      >
        <TextField label="Mail address" type="email" isRequired autoFocus {...draft.field('email')} />
        <TextField label="Name" hint="Optional." maxLength={64} {...draft.field('name')} />
        <NumberField
          label="Level"
          hint="Level 1 is notified first."
          minValue={1}
          maxValue={10}
          {...draft.field('level')}
        />
      </Form>
    </Modal>
  );
}

function RemoveContact({ org, contact, close }: DialogProps & { readonly contact: Contact | undefined }) {
  const remove = useChange(RemoveContactDocument);
  return (
    <Confirm
      title="Remove the contact?"
      isOpen={contact !== undefined}
      close={close}
      act="Remove contact"
      run={async () => (await remove.run({ org, contact: contact!.contactId })) !== undefined}
      error={remove.error}
    >
      Escalations no longer notify <bdi>{contact?.email}</bdi>.
    </Confirm>
  );
}
