import { Confirm } from '../../design/confirm.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { DeleteAssetDocument } from './storage.graphql.ts';

interface DeleteAssetProps {
  readonly project: string;
  readonly assetKey: string;
  readonly close: () => void;
  readonly deleted: () => void;
}

/** Asks whether an asset is to be deleted. */
export function DeleteAsset({ project, assetKey, close, deleted }: DeleteAssetProps) {
  const remove = useChange(DeleteAssetDocument);
  return (
    <Confirm
      title={`Delete ${assetKey}?`}
      isOpen
      close={close}
      act="Delete file"
      error={remove.error}
      run={async () => {
        const done = await remove.run({ project, key: assetKey });
        if (done === undefined) return false;
        announce(`${assetKey} is deleted.`);
        deleted();
        return true;
      }}
    >
      Its address answers 404 at once. Addresses of its versions serve for about a day, so that pages which name them do
      not break.
    </Confirm>
  );
}
