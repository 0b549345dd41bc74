import { DateField } from '../../design/date-field.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import { endOf } from '../project-sharing/holdings.ts';
import { IssueCredentialDocument, type ProjectCredentialKind } from './keys.graphql.ts';
import { kindNames, kinds } from './shown-credential.ts';

interface NewCredentialProps {
  readonly project: string;
  readonly close: () => void;
  /** Shows the key, which is told once. */
  readonly show: (secret: string) => void;
}

/** The dialog that makes a key. */
export function NewCredential({ project, close, show }: NewCredentialProps) {
  const issue = useChange(IssueCredentialDocument);
  const draft = useDraft(`credential ${project}`, { kind: 'SERVICE' as ProjectCredentialKind, name: '', ends: '' });
  const { kind, name, ends } = draft.values;
  return (
    <Modal title="New key" isOpen close={close} kind="alert">
      <Form
        label="New key"
        submit="Create key"
        cancel={close}
        error={issue.error}
        labels={{ name: 'Name', expiresAt: 'Ends', kind: 'Kind' }}
        draft={draft}
        send={async () => {
          const made = await issue.run({ project, kind, name: name.trim(), expiresAt: endOf(ends) });
          const secret = made?.issueProjectCredential?.secret;
          if (secret == null) return false;
          close();
          show(secret);
          return true;
        }}
      >
        <TextField
          label="Name"
          hint="What uses it, for example the worker in production."
          {...draft.field('name')}
          isRequired
          autoComplete="off"
        />
        <Select
          label="Kind"
          hint={
            kind === 'SERVICE'
              ? 'May do everything in the project, as the service key does. For servers only.'
              : 'May do what row security lets anybody do, as the anon key does. For frontends.'
          }
          options={kinds.map((id) => ({ id, name: kindNames[id] }))}
          value={kind}
          onChange={(id) => draft.set({ kind: id as ProjectCredentialKind })}
        />
        <DateField
          label="Ends"
          hint="At the end of this day, a year away at most. Empty: never."
          {...draft.field('ends')}
        />
      </Form>
    </Modal>
  );
}
