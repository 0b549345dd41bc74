import { Confirm } from '../../design/confirm.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { shortAddress } from './ether.ts';
import { DeleteSignerDocument, type SignerRowFragment } from './signers.graphql.ts';

interface DeleteSignerProps {
  readonly project: string;
  readonly signer: SignerRowFragment;
  readonly close: () => void;
}

/** Asks whether a signer is to be deleted. */
export function DeleteSigner({ project, signer: { signerId, address }, close }: DeleteSignerProps) {
  const remove = useChange(DeleteSignerDocument);
  return (
    <Confirm
      title="Delete this signer?"
      isOpen
      close={close}
      act="Delete signer"
      error={remove.error}
      run={async () => {
        const done = await remove.run({ project, signer: signerId, confirm: signerId });
        if (done !== undefined) announce('The signer is deleted.');
        return done !== undefined;
      }}
    >
      <code>{shortAddress(address)}</code> signs nothing any more, and costs nothing. Its key is destroyed after seven
      days. Drain it first: a signer that holds more than dust is kept.
    </Confirm>
  );
}
