import { breakable } from '../../design/breakable.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { type CiBindingRowFragment, RevokeCiBindingDocument } from './ci.graphql.ts';

interface RevokeBindingProps {
  readonly binding: Pick<CiBindingRowFragment, 'bindingId' | 'subjectMatch'>;
  readonly close: () => void;
}

/** Asks whether a binding is to be ended. */
export function RevokeBinding({ binding: { bindingId, subjectMatch }, close }: RevokeBindingProps) {
  const revoke = useChange(RevokeCiBindingDocument);
  return (
    <Confirm
      title="Revoke this binding?"
      isOpen
      close={close}
      act="Revoke binding"
      error={revoke.error}
      run={async () => {
        const done = await revoke.run({ binding: bindingId });
        if (done !== undefined) announce('The binding is revoked.');
        return done !== undefined;
      }}
    >
      Workflows of <code>{breakable(subjectMatch)}</code> deploy no more. Their sessions end at once.
    </Confirm>
  );
}
