import { FolderUp, Upload } from 'lucide-react';
import { useState } from 'react';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { bytes, count, counted } from '../../design/amounts.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { Meter } from '../../design/meter.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { announce } from '../../design/toast.tsx';
import { type ChosenFile, droppedFiles, filesOf, keyed } from './chosen-files.ts';
import type { AssetVisibility } from './storage.graphql.ts';
import { type UploadState, useUpload } from './use-upload.ts';

/** Files that are shown before the upload. */
const shownMost = 100;

interface UploadDialogProps {
  readonly project: string;
  /** The folder that files go into, with its slash. */
  readonly folder: string;
  /** Files that were dropped on the list. */
  readonly dropped: readonly (readonly [string, File])[];
  readonly close: () => void;
}

/** Chooses files and uploads them into a folder. */
export function UploadDialog({ project, folder, dropped, close }: UploadDialogProps) {
  const [{ chosen, odd }, setChosen] = useState(() => keyed(folder, dropped));
  const [visibility, setVisibility] = useState<AssetVisibility>('PUBLIC');
  const [immutable, setImmutable] = useState(true);
  const { state, start, stop, reset } = useUpload(project);
  const isRunning = state !== undefined && !state.isOver;
  const isRefused = state?.isOver === true && (state.error !== undefined || state.refused.length > 0);
  const add = (files: readonly (readonly [string, File])[]) => {
    const more = keyed(folder, files);
    const all = new Map([...chosen, ...more.chosen].map((one) => [one.key, one]));
    setChosen({ chosen: [...all.values()], odd: [...odd, ...more.odd] });
  };
  const upload = async () => {
    const done = await start(chosen, { visibility, immutable });
    if (done === undefined || done.error !== undefined || done.refused.length > 0) return;
    if (done.published < chosen.length) return reset();
    announce(
      chosen.length === 1 ? `${chosen[0]!.key} is uploaded.` : `${counted(chosen.length, 'file')} are uploaded.`,
    );
    close();
  };
  return (
    <Modal
      title={folder === '' ? 'Upload files' : `Upload files into ${folder}`}
      kind="alert"
      isOpen
      // Escape does not stop an upload: “Stop” does.
      close={() => isRunning || close()}
      foot={
        isRunning ? (
          <Button onPress={stop}>Stop</Button>
        ) : isRefused ? (
          <>
            <Button onPress={close}>Close</Button>
            <Button variant="primary" icon={Upload} onPress={() => void upload()}>
              Try again
            </Button>
          </>
        ) : (
          <>
            <Button onPress={close}>Cancel</Button>
            <Button variant="primary" icon={Upload} isDisabled={chosen.length === 0} onPress={() => void upload()}>
              {chosen.length === 0 ? 'Upload' : `Upload ${counted(chosen.length, 'file')}`}
            </Button>
          </>
        )
      }
    >
      {state === undefined ? (
        <>
          <DropZone
            className="upload-drop"
            aria-label="Drop files here, or paste them"
            onDrop={async ({ items }) => add(await droppedFiles(items))}
          >
            <p className="quiet">Drop files or folders here, or choose them:</p>
            <div className="upload-choose">
              <FileTrigger allowsMultiple onSelect={(files) => files !== null && add(filesOf(files))}>
                <Button icon={Upload}>Choose files</Button>
              </FileTrigger>
              <FileTrigger acceptDirectory onSelect={(files) => files !== null && add(filesOf(files))}>
                <Button icon={FolderUp}>Choose a folder</Button>
              </FileTrigger>
            </div>
          </DropZone>
          {chosen.length > 0 && <Chosen files={chosen} />}
          {odd.length > 0 && (
            <Note mood="warn" title={`${counted(odd.length, 'name')} cannot be a key`}>
              Keys have Latin letters, digits, dots, dashes and underscores: {odd.slice(0, 5).join(', ')}
            </Note>
          )}
          <Select
            label="Who may read"
            value={visibility}
            options={[
              { id: 'PUBLIC', name: 'Everybody who has the address' },
              { id: 'PRIVATE', name: 'Only those with a signed address' },
            ]}
            onChange={(id) => setVisibility(id as AssetVisibility)}
          />
          <Checkbox isSelected={immutable} onChange={setImmutable}>
            Give each version an address that lasts
          </Checkbox>
          <p className="quiet small">A file that is there under the same key is replaced.</p>
        </>
      ) : (
        <Progress state={state} total={chosen.length} />
      )}
    </Modal>
  );
}

const Chosen = ({ files }: { readonly files: readonly ChosenFile[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
  <ul className="upload-files small" aria-label="Chosen files" tabIndex={0}>
    {files.slice(0, shownMost).map(({ key, file }) => (
      <li key={key}>
        <bdi>{key}</bdi> <span className="quiet">{bytes(file.size)}</span>
      </li>
    ))}
    {files.length > shownMost && <li className="quiet">and {count(files.length - shownMost)} more</li>}
  </ul>
);

function Progress({ state, total }: { readonly state: UploadState; readonly total: number }) {
  const { progress, published, refused, error, isOver } = state;
  const { hashed, missing, sent } = progress;
  return (
    <>
      {hashed < progress.total && <Meter label="Reading" used={hashed} limit={progress.total} format={bytes} />}
      {missing > 0 && sent < missing && <Meter label="Sending" used={sent} limit={missing} format={bytes} />}
      <p role="status">
        {count(published)} of {counted(total, 'file')} published
        {refused.length > 0 && `, ${count(refused.length)} refused`}
        {isOver ? '.' : '…'}
      </p>
      <ErrorNote error={error} />
      {refused.length > 0 && (
        <ul className="upload-files small" aria-label="Refused files">
          {refused.map((one) => (
            <li key={one.key}>
              <bdi>{one.key}</bdi>: {one.error.message} <code className="bare">{one.error.code}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
