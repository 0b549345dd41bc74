import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { DeleteProjectDocument } from './settings.graphql.ts';
import type { Project } from './shown-project.ts';

/** The end of a project. Its name has to be typed, so that no other one is deleted. */
export function Deletion({ project: { projectId, name, organization } }: { readonly project: Project }) {
  const [open, setOpen] = useSearch('dialog', '');
  const [typed, setTyped] = useState('');
  const [isMistyped, setMistyped] = useState(false);
  const remove = useChange(DeleteProjectDocument);
  const close = () => {
    setOpen('', { replace: true });
    setMistyped(false);
  };
  return (
    <Section
      title="Delete the project"
      about="Its database, its users and its keys are gone for good. Messages, events and the audit trail are kept."
      actions={
        <Button variant="danger" onPress={() => setOpen('delete', { replace: true })}>
          Delete project
        </Button>
      }
    >
      <Modal title={`Delete ${name}?`} isOpen={open === 'delete'} close={close} kind="alert">
        <p>Its database, its users and its keys are gone for good. No copy is kept.</p>
        <Form
          label="Deletion of the project"
          submit="Delete for good"
          variant="danger"
          error={remove.error}
          cancel={close}
          send={async () => {
            const isSame = typed.trim().normalize() === name.trim().normalize();
            setMistyped(!isSame);
            if (!isSame) return false;
            const done = await remove.run({ project: projectId });
            // The back button must not return to a project that is gone.
            if (done !== undefined)
              go(organization === null ? '/orgs' : `/orgs/${organization.orgId}`, { replace: true });
            return done !== undefined;
          }}
        >
          <TextField
            label={`Type ${name} to go on`}
            value={typed}
            onChange={(text) => {
              setTyped(text);
              // The browser sends no form while one of its fields is at fault.
              setMistyped(false);
            }}
            isRequired
            autoFocus
            autoComplete="off"
            spellCheck="false"
            fault={isMistyped ? 'That is not its name, so nothing was deleted.' : undefined}
          />
        </Form>
      </Modal>
    </Section>
  );
}
