import { DateField } from '../../design/date-field.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import { capabilityNames, grantable } from './capabilities.ts';
import { endOf } from './holdings.ts';
import { type Capability, CreateGrantDocument } from './sharing.graphql.ts';

/** The dialog that gives a wallet a capability on the project. */
export function NewGrant({ project, close }: { readonly project: string; readonly close: () => void }) {
  const create = useChange(CreateGrantDocument);
  const draft = useDraft(`grant ${project}`, { wallet: '', capability: 'READ' as Capability, ends: '' });
  return (
    <Modal title="Share the project" isOpen close={close} kind="alert">
      <Form
        label="Share the project"
        submit="Share"
        cancel={close}
        error={create.error}
        labels={{ wallet: 'Wallet', expiresAt: 'Ends' }}
        draft={draft}
        send={async () => {
          const { capability, ends } = draft.values;
          const wallet = draft.values.wallet.trim();
          const expiresAt = endOf(ends);
          if ((await create.run({ project, wallet, capability, expiresAt })) === undefined) return false;
          announce('The project is shared.');
          close();
          return true;
        }}
      >
        <TextField
          label="Wallet"
          {...draft.field('wallet')}
          hint="The address (0x…) of a person or an agent. It need not have signed in yet."
          isRequired
          autoFocus
          autoComplete="off"
        />
        <Select
          label="May"
          options={grantable.map((id) => ({ id, name: capabilityNames[id] }))}
          value={draft.values.capability}
          onChange={(id) => draft.set({ capability: id as Capability })}
        />
        <DateField label="Ends" hint="At the end of this day. Empty: never." {...draft.field('ends')} />
      </Form>
    </Modal>
  );
}
