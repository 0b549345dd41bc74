import { Archive, TriangleAlert } from 'lucide-react';
import { bytes } from '../../design/amounts.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useEvery } from '../../graph/use-settled.ts';
import { AdminPage } from './admin-page.tsx';
import { BackupJob } from './backup-job.tsx';
import { BackupsDocument, type BackupsQuery, StartBackupDocument } from './backups.graphql.ts';
import { full, secondsText } from './words.ts';

type KnownBackups = NonNullable<NonNullable<BackupsQuery['installation']>['backups']>;
type Backup = KnownBackups['backups'][number];

/** Intervals at which backups are asked for, in milliseconds: while one runs, and else. */
const askEveryMs = { running: 2_000, quiet: 30_000 } as const;

/** Backups of the installation: whether it is saved, and how to save and restore it. */
export default function Backups() {
  return (
    <AdminPage
      title="Backups"
      lead="The backups of this installation, and what each of them contains."
      actions={<StartBackup />}
    >
      <Known />
    </AdminPage>
  );
}

function Known() {
  const answer = useAsk(BackupsDocument, {});
  const known = answer.data?.installation?.backups;
  const isRunning = known?.job?.state === 'RUNNING';
  useEvery(isRunning ? askEveryMs.running : askEveryMs.quiet, answer.again);
  return (
    <Loaded answer={answer}>
      {({ installation }) => {
        const backups = installation?.backups;
        if (backups == null) return null;
        return backups.folder === null ? <NoFolder /> : <InFolder backups={backups} folder={backups.folder} />;
      }}
    </Loaded>
  );
}

/** No backup folder is set: the commands say how to save the installation all the same. */
const NoFolder = () => (
  <>
    <State icon={Archive} title="No backup folder is set">
      Set <code>SVC_BACKUP_DIR</code> to a folder on another disk and start the gateway again. This page then shows the
      backups and starts new ones. Until then, <code>svc backup</code> saves the installation into any folder.
    </State>
    <CodeBlock title="Save the installation" code="svc backup /mnt/backups/svc --keep 14" />
  </>
);

interface InFolderProps {
  readonly backups: KnownBackups;
  readonly folder: string;
}

function InFolder({ backups: { backups, isOverdue, job }, folder }: InFolderProps) {
  const latest = backups.find(({ damaged }) => damaged === null);
  return (
    <>
      <div className="backup-facts">
        <Facts
          facts={[
            [
              'Latest backup',
              latest === undefined ? (
                <Badge key="none" mood="bad" icon={TriangleAlert}>
                  None
                </Badge>
              ) : (
                <span key="latest" className="badges">
                  <When at={latest.createdAt} />
                  {isOverdue === true ? (
                    <Badge mood="warn" icon={TriangleAlert}>
                      Older than a day
                    </Badge>
                  ) : (
                    <Badge mood="good">Of the last 24 hours</Badge>
                  )}
                </span>
              ),
            ],
            ['Folder', <code key="folder">{folder}</code>],
          ]}
        />
      </div>
      {job !== null && <BackupJob job={job} />}
      <Table
        label="Backups"
        columns={columns}
        rows={backups}
        keyOf={({ run }) => run}
        empty={
          <State icon={Archive} title="No backup yet">
            The first one saves everything; each later one stores only what has changed.
          </State>
        }
      />
      <Section title="Elsewhere" about="Nightly backups run from a timer, and a restore from a shell on the machine.">
        <div className="commands">
          <CodeBlock title="Every night, kept for two weeks" code="svc backup --keep 14" />
          <CodeBlock
            title="Restore the latest into an empty folder"
            code={`svc restore ${folder} --data-dir /srv/svc-restored`}
          />
        </div>
      </Section>
    </>
  );
}

/** Starts a backup. Absent while no backup folder is set. */
function StartBackup() {
  const known = useAsk(BackupsDocument, {}).data?.installation?.backups;
  const change = useChange(StartBackupDocument);
  if (known?.folder == null) return null;
  const isRunning = known.job?.state === 'RUNNING';
  const start = async () => {
    if ((await change.run({})) !== undefined) announce('The backup has begun.');
  };
  return (
    <>
      <Button
        variant="primary"
        icon={Archive}
        isPending={change.busy}
        isDisabled={isRunning}
        onPress={() => void start()}
      >
        {isRunning ? 'A backup runs' : 'Back up now'}
      </Button>
      {change.error !== undefined && <ErrorNote error={change.error} />}
    </>
  );
}

const orDash = (value: number | null, format: (value: number) => string) =>
  value === null ? <span className="quiet">–</span> : format(value);

const columns: readonly TableColumn<Backup>[] = [
  { id: 'run', name: 'Backup', cell: ({ run }) => <code>{run}</code> },
  { id: 'made', name: 'Made', cell: ({ createdAt, startedAt }) => <When at={createdAt ?? startedAt} /> },
  {
    id: 'state',
    name: 'State',
    grows: true,
    cell: ({ damaged, missing }) =>
      damaged !== null ? (
        <span className="badges">
          <Badge mood="bad">Damaged</Badge>
          <span className="small quiet">{damaged}</span>
        </span>
      ) : missing !== null && missing > 0 ? (
        <Badge mood="warn">{missing === 1 ? '1 project is missing' : `${missing} projects are missing`}</Badge>
      ) : (
        <Badge mood="good">Whole</Badge>
      ),
  },
  { id: 'took', name: 'Took', align: 'end', cell: ({ durationSeconds }) => orDash(durationSeconds, secondsText) },
  { id: 'databases', name: 'Databases', align: 'end', cell: ({ databases }) => orDash(databases, full) },
  { id: 'rows', name: 'Rows', align: 'end', cell: ({ rows }) => orDash(rows, full) },
  { id: 'files', name: 'Files', align: 'end', cell: ({ files }) => orDash(files, full) },
  { id: 'size', name: 'Size', align: 'end', cell: (backup) => orDash(backup.bytes, bytes) },
  {
    id: 'secrets',
    name: 'Secrets under',
    cell: ({ secrets }) => (secrets === null ? '' : secrets === 'passphrase' ? 'the passphrase' : 'the root secret'),
  },
];
