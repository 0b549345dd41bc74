import './storage.css';
import { FolderOpen, Lock, Upload } from 'lucide-react';
import { useState } from 'react';
import { DropZone } from 'react-aria-components/DropZone';
import { Button } from '../../design/button.tsx';
import { SearchField, Select } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { AssetPanel } from './asset-panel.tsx';
import { AssetTable } from './asset-table.tsx';
import { folderOf } from './asset-types.ts';
import { droppedFiles } from './chosen-files.ts';
import { DeleteAsset } from './delete-asset.tsx';
import { FolderPath } from './folder-path.tsx';
import { StorageDocument } from './storage.graphql.ts';
import { UploadDialog } from './upload-dialog.tsx';

/** How often the list is read again, in milliseconds: others publish files, too, and no feed tells of them. */
const everyMs = 15_000;

const sorts = [
  { id: 'key:asc', name: 'Name' },
  { id: 'createdAt:desc', name: 'Newest first' },
  { id: 'createdAt:asc', name: 'Oldest first' },
];

const kinds = [
  { id: 'all', name: 'All files' },
  { id: 'images', name: 'Pictures' },
];

/** The files of a project, by their folders. The address holds the folder, the filters and what is open. */
export default function StoragePage({ project: id }: { readonly project: string }) {
  const [folder] = useSearch('folder', '');
  const [sort, setSort] = useSearch('sort', 'key:asc');
  const [kind, setKind] = useSearch('kind', 'all');
  const [dialog, setDialog] = useSearch('dialog', '');
  const [key, setKey] = useSearch('file', '');
  const [dropped, setDropped] = useState<readonly (readonly [string, File])[]>([]);
  const find = useTypedSearch('q');
  const prefix = folderOf(folder) + find.applied;
  const sortAsked = sorts.some((one) => one.id === sort) ? sort : 'key:asc';
  const filter = kind === 'images' ? { is_image: 'true' } : null;
  const pages = usePages(JSON.stringify([prefix, sortAsked, kind]));
  const answer = useAsk(StorageDocument, { project: id, prefix, sort: sortAsked, filter, after: pages.after });
  useExistingPage(pages, answer.error);
  useWhileVisible(everyMs, answer.again);
  const project = answer.data?.project;
  const mayWrite = project != null && mayOn(project, 'project:assets:write');
  const upload = () => {
    setDropped([]);
    setDialog('upload');
  };
  useCommands(
    mayWrite
      ? [{ id: 'upload files', name: 'Upload files', icon: Upload, words: 'assets images add', act: upload }]
      : [],
  );
  const base = `/projects/${id}/storage`;
  /** The page with another folder or file, and the same order. */
  const linkTo = (more: Record<string, string>) => {
    const params = new URLSearchParams({
      ...(sortAsked === 'key:asc' ? {} : { sort: sortAsked }),
      ...(kind === 'all' ? {} : { kind }),
      ...more,
    });
    return params.size === 0 ? base : `${base}?${params}`;
  };
  return (
    <Page
      title="Storage"
      lead="Files of the project, each under a key, served at its hosts below /_blob/."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        mayWrite && (
          <Button variant="primary" icon={Upload} onPress={upload}>
            Upload files
          </Button>
        )
      }
    >
      {project != null && !mayOn(project, 'project:assets:read') ? (
        <State icon={Lock} title="You cannot see the files">
          Developers, admins and owners of the organization manage the files of its projects.
        </State>
      ) : (
        <>
          <FolderPath linkOf={(to) => linkTo(to === '' ? {} : { folder: to })} folder={folderOf(folder)} />
          <Filters>
            <SearchField label="Name begins with" value={find.typed} onChange={find.type} />
            <Select label="Kind" options={kinds} value={kind === 'images' ? kind : 'all'} onChange={setKind} />
            <Select label="Order" options={sorts} value={sortAsked} onChange={setSort} />
          </Filters>
          <Loaded answer={answer}>
            {({ project: found }) =>
              found === null ? (
                <State icon={FolderOpen} title="Project not found">
                  It was deleted, or you have no access to it.
                </State>
              ) : (
                <DropZone
                  className="storage-drop"
                  aria-label="Files of the folder. Drop files here to upload them."
                  isDisabled={!mayWrite}
                  onDrop={async ({ items }) => {
                    const files = await droppedFiles(items);
                    if (files.length === 0) return;
                    setDropped(files);
                    setDialog('upload');
                  }}
                >
                  <AssetTable
                    // Folders have no age and are no pictures; the first page alone shows them.
                    folders={pages.back === undefined ? (found.assetFolders?.edges.map(({ node }) => node) ?? []) : []}
                    assets={found.assets?.edges.map(({ node }) => node) ?? []}
                    linkOfFolder={(to) => linkTo({ folder: to })}
                    linkOfAsset={(to) =>
                      linkTo({
                        ...(folder === '' ? {} : { folder }),
                        ...(find.applied === '' ? {} : { q: find.applied }),
                        file: to,
                      })
                    }
                    isFiltered={find.applied !== '' || kind !== 'all' || folder !== '' || pages.back !== undefined}
                    first={mayWrite && <Button onPress={upload}>Upload the first file</Button>}
                  />
                  {found.assetFolders?.pageInfo.hasNextPage === true && pages.back === undefined && (
                    <p className="quiet small">
                      The first 200 folders are shown. Find others by how their names begin.
                    </p>
                  )}
                  <Pager pages={pages} info={found.assets?.pageInfo} list="files" />
                </DropZone>
              )
            }
          </Loaded>
        </>
      )}
      {dialog === 'upload' && mayWrite && (
        <UploadDialog
          project={id}
          folder={folderOf(folder)}
          dropped={dropped}
          close={() => setDialog('', { replace: true })}
        />
      )}
      {key !== '' && dialog !== 'delete' && (
        <AssetPanel
          key={key}
          project={id}
          assetKey={key}
          mayWrite={mayWrite}
          close={() => setKey('')}
          remove={() => setDialog('delete')}
        />
      )}
      {key !== '' && dialog === 'delete' && mayWrite && (
        <DeleteAsset
          project={id}
          assetKey={key}
          close={() => setDialog('', { replace: true })}
          deleted={() => setKey('', { replace: true })}
        />
      )}
    </Page>
  );
}
