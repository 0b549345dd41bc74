import { Import, Lock, Package, PackagePlus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { useCommands } from '../../frame/commands.ts';
import type { Envelope } from '../../graph/envelope.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { may, mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { ArchiveReport } from './archive-report.tsx';
import { ArchiveTable } from './archive-table.tsx';
import type { Archive } from './archive-types.ts';
import { ArchivesDocument } from './archives.graphql.ts';
import { CreateArchive } from './create-archive.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { saveArchive } from './save-archive.ts';

/** How often the list is read again, in milliseconds: while an archive is made, and otherwise. */
const runningMs = 2_000;
const quietMs = 15_000;

/** The archives of a project. The address holds the dialog. */
export default function ArchivesPage({ project: id }: { readonly project: string }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [chosen, setChosen] = useSearch('archive', '');
  const [loading, setLoading] = useState<string>();
  const [unsaved, setUnsaved] = useState<Envelope>();
  const pages = usePages('archives');
  const answer = useAsk(ArchivesDocument, { project: id, after: pages.after });
  useExistingPage(pages, answer.error);
  const project = answer.data?.project;
  const archives = project?.archives?.edges.map(({ node }) => node) ?? [];
  useWhileVisible(archives.some(({ status }) => status === 'RUNNING') ? runningMs : quietMs, answer.again);
  const mayExport = project != null && mayOn(project, 'project:archives:export');
  const mayImport = may(project?.organization?.role, 'org:archives:import');
  const create = () => setDialog('create');
  const bring = () => setDialog('import');
  useCommands([
    ...(mayExport ? [{ id: 'export project', name: 'Export the project', icon: PackagePlus, act: create }] : []),
    ...(mayImport ? [{ id: 'import archive', name: 'Import an archive', icon: Import, act: bring }] : []),
  ]);
  const close = () => {
    setDialog('', { replace: true });
    setChosen('', { replace: true });
    answer.again();
  };
  const download = async ({ archiveId }: Archive) => {
    setLoading(archiveId);
    setUnsaved(await saveArchive(id, archiveId));
    setLoading(undefined);
  };
  const shown = archives.find(({ archiveId }) => archiveId === chosen);
  return (
    <Page
      title="Archives"
      lead="The whole project in one file, to keep or to import elsewhere. Each is kept for seven days."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        <>
          {mayImport && (
            <Button icon={Import} onPress={bring}>
              Import an archive
            </Button>
          )}
          {mayExport && (
            <Button variant="primary" icon={PackagePlus} onPress={create}>
              Export the project
            </Button>
          )}
        </>
      }
    >
      {project != null && !mayOn(project, 'project:archives:read') ? (
        <State icon={Lock} title="You cannot see the archives">
          Members of the organization see them, and whoever has a grant to read the project.
        </State>
      ) : (
        <>
          <ErrorNote error={unsaved} />
          <Loaded answer={answer}>
            {({ project: found }) =>
              found === null ? (
                <State icon={Package} title="Project not found">
                  It was deleted, or you have no access to it.
                </State>
              ) : (
                <>
                  <ArchiveTable
                    archives={archives}
                    mayDownload={mayExport}
                    loading={loading}
                    download={(archive) => void download(archive)}
                    show={(archive) => {
                      setChosen(archive, { replace: true });
                      setDialog('report');
                    }}
                    first={mayExport && <Button onPress={create}>Make the first archive</Button>}
                  />
                  <Pager pages={pages} info={found.archives?.pageInfo} list="archives" />
                </>
              )
            }
          </Loaded>
        </>
      )}
      {dialog === 'create' && mayExport && <CreateArchive project={id} close={close} />}
      {dialog === 'import' && mayImport && <ImportDialog org={project!.organization!.orgId} close={close} />}
      {dialog === 'report' && shown !== undefined && <ArchiveReport archive={shown} close={close} />}
    </Page>
  );
}
