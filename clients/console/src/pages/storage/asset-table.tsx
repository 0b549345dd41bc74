import { Folder as FolderIcon, FolderOpen, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { bytes } from '../../design/amounts.ts';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { type Asset, type Folder, nameOf } from './asset-types.ts';
import { Thumbnail } from './thumbnail.tsx';
import { VisibilityBadge } from './visibility-badge.tsx';

type Row =
  | { readonly folder: Folder; readonly asset?: undefined }
  | { readonly asset: Asset; readonly folder?: undefined };

interface AssetTableProps {
  readonly folders: readonly Folder[];
  readonly assets: readonly Asset[];
  readonly linkOfFolder: (prefix: string) => string;
  readonly linkOfAsset: (key: string) => string;
  readonly isFiltered: boolean;
  /** Shown where there is nothing yet. */
  readonly first: ReactNode;
}

/** What is in a folder: folders first, then files. */
export function AssetTable({ folders, assets, linkOfFolder, linkOfAsset, isFiltered, first }: AssetTableProps) {
  const rows: readonly Row[] = [...folders.map((folder) => ({ folder })), ...assets.map((asset) => ({ asset }))];
  return (
    <Table<Row>
      label="Files"
      rows={rows}
      keyOf={({ folder, asset }) => folder?.prefix ?? asset!.key}
      linkOf={({ folder, asset }) => (folder === undefined ? linkOfAsset(asset!.key) : linkOfFolder(folder.prefix))}
      columns={[
        {
          id: 'name',
          name: 'Name',
          grows: true,
          cell: ({ folder, asset }) => (
            <span className="asset-name">
              {folder === undefined ? (
                <Thumbnail asset={asset!} />
              ) : (
                <span className="asset-thumbnail" aria-hidden="true">
                  <FolderIcon className="icon" />
                </span>
              )}
              <bdi>{folder?.name ?? nameOf(asset!.key)}</bdi>
              {folder !== undefined && <span className="seen-by-readers">, folder</span>}
            </span>
          ),
        },
        {
          id: 'type',
          name: 'Type',
          cell: ({ asset }) => <span className="small quiet">{asset === undefined ? 'Folder' : typeOf(asset)}</span>,
        },
        {
          id: 'size',
          name: 'Size',
          align: 'end',
          cell: ({ asset }) => asset !== undefined && <span className="small">{bytes(asset.sizeBytes)}</span>,
        },
        {
          id: 'visibility',
          name: 'Visibility',
          cell: ({ asset }) => asset !== undefined && <VisibilityBadge of={asset} />,
        },
        {
          id: 'changed',
          name: 'Changed',
          cell: ({ asset }) => asset !== undefined && <When at={asset.updatedAt} />,
        },
      ]}
      empty={
        isFiltered ? (
          <State icon={SearchX} title="No file fits">
            Names are found by how they begin.
          </State>
        ) : (
          <State icon={FolderOpen} title="No files yet" action={first}>
            Files are served at the project’s hosts, each under its key.
          </State>
        )
      }
    />
  );
}

/** A media type without its parameters; of a picture with its size. */
const typeOf = ({ contentType, widthPx, heightPx }: Asset): string => {
  const type = contentType?.split(';')[0] ?? 'unknown';
  return widthPx === null ? type : `${type}, ${widthPx} × ${heightPx}`;
};
