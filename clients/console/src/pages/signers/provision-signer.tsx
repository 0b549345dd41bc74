import { useState } from 'react';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { chainNames } from './ether.ts';
import { ProvisionSignerDocument } from './signers.graphql.ts';

interface ProvisionSignerProps {
  readonly project: string;
  readonly close: () => void;
}

const chains = Object.entries(chainNames).map(([id, name]) => ({ id, name }));

/** The dialog that makes a signer. */
export function ProvisionSigner({ project, close }: ProvisionSignerProps) {
  const provision = useChange(ProvisionSignerDocument);
  const [chain, setChain] = useState('BASE_SEPOLIA');
  const [recovery, setRecovery] = useState('');
  return (
    <Modal title="Make a signer" isOpen close={close} kind="alert">
      <Form
        label="Signer"
        submit="Make signer"
        cancel={close}
        error={provision.error}
        labels={{ chain: 'Chain', recovery_address: 'Recovery address' }}
        send={async () => {
          const recoveryAddress = recovery.trim() === '' ? {} : { recoveryAddress: recovery.trim() };
          const made = await provision.run({ project, chain: chain as 'BASE_SEPOLIA', ...recoveryAddress });
          if (made === undefined) return false;
          announce('The signer is made. Send it some ether for gas.');
          close();
          return true;
        }}
      >
        <Select label="Chain" options={chains} value={chain} onChange={setChain} />
        <TextField
          label="Recovery address"
          hint="Where its money goes when the rent is not paid for 90 days, or the project is deleted. It can be set later."
          value={recovery}
          onChange={setRecovery}
          placeholder="0x…"
          autoComplete="off"
          spellCheck="false"
        />
        <p className="quiet small">
          A signer costs $0.04 a day from the prepaid balance. The balance has to hold $1.20 that is no promotional
          credit.
        </p>
      </Form>
    </Modal>
  );
}
