import { ExternalLink, Eye, EyeOff, FileX, Trash2 } from 'lucide-react';
import { bytes } from '../../design/amounts.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { type Asset, isPicture, nameOf } from './asset-types.ts';
import { PutAssetDocument, SignedAssetDocument, StoredAssetDocument } from './storage.graphql.ts';
import { iconOf } from './thumbnail.tsx';
import { VisibilityBadge } from './visibility-badge.tsx';

interface AssetPanelProps {
  readonly project: string;
  readonly assetKey: string;
  readonly mayWrite: boolean;
  readonly close: () => void;
  readonly remove: () => void;
}

/** One asset: what it looks like, where it is served, and what can be done with it. */
export function AssetPanel({ project, assetKey, mayWrite, close, remove }: AssetPanelProps) {
  const answer = useAsk(StoredAssetDocument, { project, key: assetKey });
  const put = useChange(PutAssetDocument);
  const asset = answer.data?.asset ?? undefined;
  const isMissing = answer.error?.code === 'ASSET_NOT_FOUND';
  const change = async (found: Asset) => {
    const visibility = found.visibility === 'PUBLIC' ? 'PRIVATE' : 'PUBLIC';
    const { key, sha256, sizeBytes, contentType, immutable } = found;
    const done = await put.run({ project, key, sha256, sizeBytes, contentType, immutable, visibility });
    if (done !== undefined) announce(`${nameOf(key)} is ${visibility.toLowerCase()} now.`);
  };
  return (
    <Modal
      title={nameOf(assetKey)}
      kind="wide"
      isOpen
      close={close}
      foot={
        <>
          {mayWrite && asset !== undefined && (
            <>
              <Button variant="danger" icon={Trash2} onPress={remove}>
                Delete
              </Button>
              <Button
                icon={asset.visibility === 'PUBLIC' ? EyeOff : Eye}
                isPending={put.busy}
                onPress={() => void change(asset)}
              >
                {asset.visibility === 'PUBLIC' ? 'Make private' : 'Make public'}
              </Button>
            </>
          )}
          <Button onPress={close}>Close</Button>
        </>
      }
    >
      {isMissing ? (
        <State icon={FileX} title="File not found">
          It was deleted, or never was under this key.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ asset: found }) => found !== null && <Shown project={project} asset={found} />}
        </Loaded>
      )}
      <ErrorNote error={put.error} />
    </Modal>
  );
}

function Shown({ project, asset }: { readonly project: string; readonly asset: Asset }) {
  const isPublic = asset.visibility === 'PUBLIC';
  // A private asset has no address of its own: this one ends after an hour.
  const { data } = useAsk(SignedAssetDocument, isPublic ? undefined : { project, key: asset.key });
  const signed = isPublic ? undefined : (data?.signedAsset ?? undefined);
  const picture = isPicture(asset) ? (asset.cdnUrl ?? signed?.cdnSignedUrl) : undefined;
  const Icon = iconOf(asset.contentType);
  const open = asset.url ?? signed?.signedUrl;
  return (
    <div className="asset-panel">
      <div className="asset-picture">
        {picture === undefined ? (
          <Icon className="icon" aria-hidden="true" />
        ) : (
          <img src={picture} alt={`The file ${asset.key}`} referrerPolicy="no-referrer" />
        )}
      </div>
      <Facts
        facts={[
          ['Key', <Copied key="key" what="key" text={asset.key} />],
          ['Type', asset.contentType ?? 'unknown'],
          ['Size', bytes(asset.sizeBytes)],
          ['Pixels', asset.widthPx === null ? undefined : `${asset.widthPx} × ${asset.heightPx}`],
          ['Visibility', <VisibilityBadge key="visibility" of={asset} />],
          ['Address', asset.url === null ? undefined : <Copied key="url" what="address" text={asset.url} />],
          [
            'Of this version',
            asset.immutableUrl === null ? undefined : (
              <Copied key="version" what="address of this version" text={asset.immutableUrl} />
            ),
          ],
          [
            'Signed address',
            signed === undefined ? undefined : (
              <span key="signed">
                <Copied what="signed address" text={signed.signedUrl} />
                <span className="small quiet">
                  opens the file for whoever has it, until <When at={signed.expiresAt} />
                </span>
              </span>
            ),
          ],
          ['SHA-256', <Copied key="sha256" what="SHA-256" text={asset.sha256} />],
          ['Changed', <When key="changed" at={asset.updatedAt} />],
          ['Created', <When key="created" at={asset.createdAt} />],
        ]}
      />
      {open !== undefined && (
        <a className="button" href={open} target="_blank" rel="noreferrer">
          <ExternalLink className="icon" aria-hidden="true" />
          Open file
        </a>
      )}
    </div>
  );
}

const Copied = ({ what, text }: { readonly what: string; readonly text: string }) => (
  <span className="asset-copied">
    <code className="bare">{text}</code>
    <CopyButton what={what} text={text} isIcon />
  </span>
);
