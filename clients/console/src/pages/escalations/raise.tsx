import { UserPlus } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { TextArea } from '../../design/text-area.tsx';
import { useChange } from '../../graph/use-change.ts';
import { Link } from '../../router.tsx';
import { useDraft } from '../../use-draft.ts';
import { type EscalationSeverity, RaiseEscalationDocument } from './escalations.graphql.ts';

/** An escalation that was raised from this page. */
export interface Raised {
  readonly escalationId: string;
  /** Contacts that are notified of it. */
  readonly notified: readonly string[];
}

interface RaiseDialogProps {
  readonly org: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly raised: (raised: Raised) => void;
}

const severities = [
  { id: 'NORMAL', name: 'Normal' },
  { id: 'HIGH', name: 'High' },
];

/** Raises an escalation. */
export function RaiseDialog({ org, isOpen, close, raised }: RaiseDialogProps) {
  const raise = useChange(RaiseEscalationDocument);
  const draft = useDraft(`raise ${org}`, { reason: '', severity: 'NORMAL' });
  const { reason, severity } = draft.values;
  return (
    <Modal title="Raise an escalation" isOpen={isOpen} close={close} kind="alert">
      <Form
        label="Raise an escalation"
        submit="Raise"
        cancel={close}
        error={raise.error}
        draft={draft}
        send={async () => {
          const answer = await raise.run({
            org,
            reason: reason.trim(),
            severity: severity as EscalationSeverity,
          });
          const made = answer?.raiseEscalation;
          if (made == null) return false;
          close();
          raised({
            escalationId: made.escalation.escalationId,
            notified: made.willPage.map(({ displayName, email }) => displayName ?? email),
          });
          return true;
        }}
      >
        <TextArea label="Reason" isRequired rows={3} autoFocus {...draft.field('reason')} />
        <Select
          label="Severity"
          hint="An unanswered escalation goes to the next level after 30 minutes if high, after 2 hours if normal."
          options={severities}
          {...draft.field('severity')}
        />
      </Form>
    </Modal>
  );
}

interface RaisedNoteProps {
  readonly org: string;
  readonly raised: Raised | undefined;
  /** Undefined for members who may not add a contact. */
  readonly addContact: (() => void) | undefined;
}

/** Who was notified of an escalation. That no one was is a warning. */
export function RaisedNote({ org, raised, addContact }: RaisedNoteProps) {
  const link = raised !== undefined && (
    <Link to={`/orgs/${org}/escalations/${raised.escalationId}`}>Show the escalation</Link>
  );
  return (
    <div role="status" className="raised">
      {raised !== undefined && raised.notified.length > 0 && (
        <Note mood="good" title="The escalation is raised." action={link}>
          Notified: <bdi>{raised.notified.join(', ')}</bdi>.
        </Note>
      )}
      {raised?.notified.length === 0 && (
        <Note
          mood="warn"
          title="The escalation is raised, but no one was notified."
          action={
            addContact !== undefined && (
              <Button small icon={UserPlus} onPress={addContact}>
                Add a contact
              </Button>
            )
          }
        >
          The organization has no escalation contacts. The first contact that is added is notified of it.
          {addContact === undefined && ' An owner of the organization can add a contact.'}
        </Note>
      )}
    </div>
  );
}
