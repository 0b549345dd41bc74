import { FileX, SearchX } from 'lucide-react';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { FoundRows } from './found-rows.tsx';
import type { SiteFile } from './site-types.ts';

interface SiteFilesProps {
  readonly files: readonly SiteFile[];
  readonly total: number;
}

/** How much of a digest is shown. */
const digestShown = 12;

/** The files of the live release. */
export const SiteFiles = ({ files, total }: SiteFilesProps) => (
  <FoundRows label="Find a file" noun="file" rows={files} total={total} textOf={({ path }) => path}>
    {(found, isFiltered) => (
      <Table
        label="Files"
        rows={found}
        keyOf={({ path }) => path}
        columns={[
          { id: 'path', name: 'File', grows: true, cell: ({ path }) => <code className="bare">{path}</code> },
          { id: 'type', name: 'Type', cell: ({ content_type: type }) => <span className="small quiet">{type}</span> },
          {
            id: 'digest',
            name: 'SHA-256',
            cell: ({ content_sha256: digest }) => (
              <code className="bare small quiet" title={digest}>
                {digest.slice(0, digestShown)}
              </code>
            ),
          },
        ]}
        empty={
          isFiltered ? (
            <State icon={SearchX} title="No file fits">
              Search for another part of its path.
            </State>
          ) : (
            <State icon={FileX} title="The release has no files">
              It holds migrations or routes alone.
            </State>
          )
        }
      />
    )}
  </FoundRows>
);
