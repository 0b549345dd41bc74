import { Upload } from 'lucide-react';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { useClient } from 'urql';
import { bytes, counted } from '../../design/amounts.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Meter } from '../../design/meter.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { Link } from '../../router.tsx';
import type { Import } from './archive-types.ts';
import {
  ArchiveContentDocument,
  type ArchiveContentQuery,
  ImportArchiveDocument,
  ImportStatusDocument,
} from './archives.graphql.ts';
import { FoundList } from './found-list.tsx';
import { useArchiveUpload } from './use-archive-upload.ts';

interface ImportDialogProps {
  readonly org: string;
  readonly close: () => void;
}

/** An archive that was sent and looked at. */
interface Looked {
  readonly sha256: string;
  readonly name: string;
  readonly report: Import;
  readonly content: ArchiveContentQuery['inspectProjectArchive'];
}

/** Makes a project of an archive: it is sent, looked at, and imported once its report was seen. */
export function ImportDialog({ org, close }: ImportDialogProps) {
  const client = useClient();
  const [file, setFile] = useState<File>();
  const [name, setName] = useState('');
  const [looked, setLooked] = useState<Looked>();
  const [begun, setBegun] = useState<Import>();
  const upload = useArchiveUpload(org);
  const trying = useChange(ImportArchiveDocument);
  if (begun !== undefined) return <Outcome org={org} begun={begun} close={close} />;
  if (looked !== undefined)
    return <Report org={org} looked={looked} back={() => setLooked(undefined)} begin={setBegun} close={close} />;
  const look = async () => {
    if (file === undefined) return false;
    const sha256 = await upload.send(file);
    if (sha256 === undefined) return false;
    const given = name.trim() === '' ? {} : { name: name.trim() };
    const answer = await trying.run({ org, archiveSha256: sha256, dryRun: true, ...given });
    const report = answer?.importProjectArchive;
    if (report == null) return false;
    const { data } = await client.query(ArchiveContentDocument, { org, sha256 }).toPromise();
    setLooked({ sha256, name: report.projectName, report, content: data?.inspectProjectArchive ?? null });
    return true;
  };
  const { progress } = upload;
  return (
    <Modal title="Import an archive" isOpen close={close} kind="alert">
      <Form
        label="Import"
        submit="Look at it"
        cancel={close}
        isDisabled={file === undefined}
        error={upload.error ?? trying.error}
        labels={{ name: 'Name of the project' }}
        send={look}
      >
        <p>
          A new project of this organization is made of it. Nothing is merged into a project that is there, and nothing
          is made before you have seen what is in it.
        </p>
        <div className="one-line">
          <FileTrigger
            acceptedFileTypes={['.svcar', '.tar', 'application/x-tar']}
            onSelect={(files) => setFile(files?.[0])}
          >
            <Button icon={Upload} autoFocus>
              Choose a file
            </Button>
          </FileTrigger>
          {file !== undefined && (
            <span>
              {' '}
              <bdi>{file.name}</bdi> <span className="quiet small">{bytes(file.size)}</span>
            </span>
          )}
        </div>
        <TextField
          label="Name of the project"
          hint="imported-project when left empty."
          value={name}
          onChange={setName}
          maxLength={120}
        />
        {progress !== undefined && progress.hashed < progress.total && (
          <Meter label="Reading" used={progress.hashed} limit={progress.total} format={bytes} />
        )}
        {progress !== undefined && progress.missing > 0 && progress.sent < progress.missing && (
          <Meter label="Sending" used={progress.sent} limit={progress.missing} format={bytes} />
        )}
      </Form>
    </Modal>
  );
}

interface ReportProps {
  readonly org: string;
  readonly looked: Looked;
  readonly back: () => void;
  readonly begin: (begun: Import) => void;
  readonly close: () => void;
}

/** What would be made, and the values that it needs. */
function Report({ org, looked: { sha256, name, report, content }, back, begin, close }: ReportProps) {
  const change = useChange(ImportArchiveDocument);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const blocked = report.status === 'blocked';
  const rows = content?.tables.reduce((sum, { rowCount }) => sum + rowCount, 0) ?? 0;
  const facts = (
    <>
      <Facts
        facts={[
          ['Project', <bdi key="name">{name}</bdi>],
          ['Tables', content && `${counted(content.tables.length, 'table')} with ${counted(rows, 'row')}`],
          ['Functions', content && (content.functions.join(', ') || 'None')],
          [
            'Files',
            content && `${counted(content.siteFiles, 'file')} of the site, ${counted(content.storageObjects, 'asset')}`,
          ],
          ['Users', content && `${counted(content.authSubjectStubCount, 'id')}, who cannot sign in`],
          ['Size', content && bytes(content.totalBytes)],
        ]}
      />
      <FoundList label="Report" found={report.diagnostics} />
    </>
  );
  if (blocked)
    return (
      <Modal
        title="The archive cannot be imported"
        isOpen
        close={close}
        kind="alert"
        foot={
          <>
            <Button onPress={back}>Choose another file</Button>
            <Button variant="primary" autoFocus onPress={close}>
              Close
            </Button>
          </>
        }
      >
        {facts}
      </Modal>
    );
  return (
    <Modal title="What would be imported" isOpen close={close} kind="alert">
      <Form
        label="Import"
        submit="Import"
        cancel={back}
        error={change.error}
        labels={{ name: 'Name of the project' }}
        send={async () => {
          const given = Object.entries(values).filter(([, value]) => value !== '');
          const answer = await change.run({
            org,
            archiveSha256: sha256,
            name,
            ...(given.length === 0 ? {} : { secretValues: Object.fromEntries(given) }),
          });
          if (answer?.importProjectArchive == null) return false;
          begin(answer.importProjectArchive);
          return true;
        }}
      >
        {facts}
        {report.requiredSecrets.map(({ name: key, required }) => (
          <TextField
            key={key}
            label={`Value of ${key}`}
            hint={required ? 'The project does not run without it. It can be set later, too.' : 'Optional.'}
            type="password"
            autoComplete="off"
            value={values[key] ?? ''}
            onChange={(value) => setValues((all) => ({ ...all, [key]: value }))}
            maxLength={4096}
          />
        ))}
      </Form>
    </Modal>
  );
}

interface OutcomeProps {
  readonly org: string;
  readonly begun: Import;
  readonly close: () => void;
}

/** What became of the import, which goes on by itself. */
function Outcome({ org, begun, close }: OutcomeProps) {
  const answer = useAsk(ImportStatusDocument, { org, import: begun.importId ?? '' });
  const now = answer.data?.archiveImport ?? begun;
  const isRunning = now.status === 'running';
  useWhileVisible(isRunning ? 2_000 : 60_000, answer.again);
  const title = isRunning
    ? 'The project is being made'
    : now.status === 'imported'
      ? `${now.projectName} is there`
      : 'The archive could not be imported';
  return (
    <Modal
      title={title}
      isOpen
      close={close}
      kind="alert"
      foot={
        <Button variant="primary" autoFocus onPress={close}>
          Done
        </Button>
      }
    >
      {isRunning && <p role="status">It goes on when you close this.</p>}
      {now.status === 'imported' && (
        <p>
          <Link to={`/projects/${now.projectId}`}>Open {now.projectName}</Link>
        </p>
      )}
      {now.status === 'imported' && now.requiredSecrets.length > 0 && (
        <Note mood="warn" title="Secrets are missing">
          {now.requiredSecrets.map(({ name }) => name).join(', ')}
        </Note>
      )}
      {!isRunning && now.status !== 'imported' && (
        <>
          <Note mood="bad" title="Nothing was made">
            What was begun of the project is removed.
          </Note>
          <FoundList label="Why" found={now.diagnostics} />
        </>
      )}
      <ErrorNote error={answer.error} />
    </Modal>
  );
}
