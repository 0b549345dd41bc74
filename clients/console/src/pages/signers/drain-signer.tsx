import { useState } from 'react';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { shortAddress } from './ether.ts';
import { DrainSignerDocument, type SignerRowFragment } from './signers.graphql.ts';

interface DrainSignerProps {
  readonly project: string;
  readonly signer: SignerRowFragment;
  readonly close: () => void;
}

/** The dialog that sends all that a signer holds elsewhere. */
export function DrainSigner({ project, signer, close }: DrainSignerProps) {
  const drain = useChange(DrainSignerDocument);
  const [destination, setDestination] = useState(signer.recoveryAddress ?? '');
  return (
    <Modal title={`Drain ${shortAddress(signer.address)}`} isOpen close={close} kind="alert">
      <Form
        label="Drain"
        submit="Send all of it"
        variant="danger"
        cancel={close}
        error={drain.error}
        labels={{ destination_address: 'Destination' }}
        send={async () => {
          const { signerId } = signer;
          const begun = await drain.run({
            project,
            signer: signerId,
            destinationAddress: destination.trim(),
            confirm: signerId,
          });
          if (begun === undefined) return false;
          announce('The money is on its way.');
          close();
          return true;
        }}
      >
        <TextField
          label="Destination"
          hint="All that the signer holds goes there, less the fees of the chain. It cannot be taken back."
          value={destination}
          onChange={setDestination}
          placeholder="0x…"
          isRequired
          autoFocus
          autoComplete="off"
          spellCheck="false"
        />
      </Form>
    </Modal>
  );
}
