import { useState } from 'react';
import { type Option, Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go } from '../../router.tsx';
import { CreateProjectDocument } from './organization.graphql.ts';

interface NewProjectProps {
  /** Where the project can be created; at least one. With several, the dialog asks which. */
  readonly organizations: readonly Option[];
  readonly close: () => void;
}

/** The dialog that creates a project and leads to its home. */
export function NewProject({ organizations, close }: NewProjectProps) {
  const create = useChange(CreateProjectDocument);
  const [org, setOrg] = useState(organizations[0]!.id);
  return (
    <Modal title="New project" isOpen close={close} kind="alert">
      <Form
        label="New project"
        submit="Create project"
        cancel={close}
        error={create.error}
        labels={{ name: 'Name' }}
        send={async (values) => {
          const name = String(values.get('name')).trim();
          const made = await create.run({ org, name });
          if (made?.createProject == null) return false;
          announce(`${name} is created.`);
          // In place of the dialog's address, so that the way back does not open it again.
          go(`/projects/${made.createProject.projectId}`, { replace: true });
          return true;
        }}
      >
        <TextField
          label="Name"
          name="name"
          hint="The project gets a PostgreSQL database of its own, with REST, GraphQL and sign-in."
          isRequired
          autoFocus
          autoComplete="off"
        />
        {organizations.length > 1 && (
          <Select label="Organization" options={organizations} value={org} onChange={setOrg} />
        )}
      </Form>
    </Modal>
  );
}
