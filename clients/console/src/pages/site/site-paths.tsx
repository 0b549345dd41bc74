import { Globe, SearchX } from 'lucide-react';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { FoundRows } from './found-rows.tsx';
import { authorityNames, cacheName, type PublicPath, type Route } from './site-types.ts';

interface SitePathsProps {
  /** Where the site is found. */
  readonly address: string;
  readonly paths: readonly PublicPath[];
  readonly routes: readonly Route[];
}

/** What the public may ask for, and what answers it. */
export const SitePaths = ({ address, paths, routes }: SitePathsProps) => (
  <>
    <FoundRows label="Find a path" noun="path" rows={paths} textOf={({ public_path: path }) => path}>
      {(found, isFiltered) => (
        <Table
          label="Public paths"
          rows={found}
          keyOf={({ public_path: path, asset_path: file }) => `${path} ${file}`}
          columns={[
            {
              id: 'path',
              name: 'Path',
              grows: true,
              cell: ({ public_path: path }) => (
                <a href={new URL(path, address).href} target="_blank" rel="noreferrer">
                  <code className="bare">{path}</code>
                </a>
              ),
            },
            { id: 'file', name: 'File', cell: ({ asset_path: file }) => <code className="bare">{file}</code> },
            {
              id: 'by',
              name: 'Made public by',
              cell: ({ reachability_authority: by }) => <span className="small quiet">{authorityNames[by]}</span>,
            },
            {
              id: 'cache',
              name: 'Browsers',
              cell: ({ cache_class: cache }) => <span className="small quiet">{cacheName(cache)}</span>,
            },
          ]}
          empty={
            isFiltered ? (
              <State icon={SearchX} title="No path fits">
                Search for another part of it.
              </State>
            ) : (
              <State icon={Globe} title="Nothing is public">
                The release makes none of its files public.
              </State>
            )
          }
        />
      )}
    </FoundRows>
    {routes.length > 0 && (
      <Section title="Routes" about="They are looked at before files: exact ones first, then the longest prefix.">
        <Table
          label="Routes"
          rows={routes}
          keyOf={({ pattern, methods }) => `${pattern} ${methods?.join() ?? ''}`}
          columns={[
            {
              id: 'pattern',
              name: 'Route',
              grows: true,
              cell: ({ pattern }) => <code className="bare">{pattern}</code>,
            },
            { id: 'methods', name: 'Methods', cell: ({ methods }) => methods?.join(', ') ?? 'all' },
            {
              id: 'target',
              name: 'Leads to',
              cell: ({ target }) => (
                <>
                  {target.type === 'function' ? 'function ' : 'file '}
                  <code className="bare">{target.type === 'function' ? target.name : target.file}</code>
                </>
              ),
            },
          ]}
          empty={null}
        />
      </Section>
    )}
  </>
);
