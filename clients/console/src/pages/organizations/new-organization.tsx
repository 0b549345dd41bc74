import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go } from '../../router.tsx';
import { CreateOrganizationDocument } from './organizations.graphql.ts';

/** The dialog that creates an organization and leads to it. */
export function NewOrganization({ close }: { readonly close: () => void }) {
  const create = useChange(CreateOrganizationDocument);
  return (
    <Modal title="New organization" isOpen close={close} kind="alert">
      <Form
        label="New organization"
        submit="Create organization"
        cancel={close}
        error={create.error}
        labels={{ displayName: 'Name' }}
        send={async (values) => {
          const made = await create.run({ displayName: String(values.get('name')).trim() });
          if (made?.createOrganization != null) go(`/orgs/${made.createOrganization.orgId}`, { replace: true });
          return made !== undefined;
        }}
      >
        <TextField
          label="Name"
          name="name"
          hint="Your team or company. It can be changed later."
          isRequired
          autoFocus
          autoComplete="off"
        />
      </Form>
    </Modal>
  );
}
