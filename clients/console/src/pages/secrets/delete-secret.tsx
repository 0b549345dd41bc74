import { Confirm } from '../../design/confirm.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { DeleteSecretDocument } from './secrets.graphql.ts';

interface DeleteSecretProps {
  readonly project: string;
  readonly secret: string;
  readonly close: () => void;
}

/** Asks whether a secret is to be deleted. */
export function DeleteSecret({ project, secret, close }: DeleteSecretProps) {
  const remove = useChange(DeleteSecretDocument);
  return (
    <Confirm
      title={`Delete ${secret}?`}
      isOpen
      close={close}
      act="Delete secret"
      error={remove.error}
      run={async () => {
        const done = await remove.run({ project, key: secret });
        if (done !== undefined) announce(`${secret} is deleted.`);
        return done !== undefined;
      }}
    >
      What reads it finds nothing from then on, and a deploy that requires it is refused. The value cannot be brought
      back.
    </Confirm>
  );
}
